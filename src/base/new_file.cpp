#include "base/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/system_call.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr off_t kStretch = off_t{16} << 20;

}  // namespace

void RealOutput::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_.get(), bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) fail_call("write", path_, errno);
    if (put <= 0) continue;
    bytes.remove_prefix(static_cast<std::size_t>(put));
    written_ += put;
    if (written_ - sent_ >= kStretch) send_stretch();
  }
}

void RealOutput::sync() {
  if (::fsync(fd_.get()) != 0) fail_call("fsync", path_, errno);
}

void RealOutput::close() {
  if (fd_.close() != 0) fail_call("close", path_, errno);
}

// Only advice, which a pipe or an unusual file system may ignore.
void RealOutput::send_stretch() {
  constexpr unsigned kDone =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  ::sync_file_range(fd_.get(), sent_, written_ - sent_, SYNC_FILE_RANGE_WRITE);
  ::sync_file_range(fd_.get(), dropped_, sent_ - dropped_, kDone);
  ::posix_fadvise(fd_.get(), dropped_, sent_ - dropped_, POSIX_FADV_DONTNEED);
  dropped_ = std::exchange(sent_, written_);
}

namespace {

// A handler cannot wait for a lock, so this is a table of pointers. A file that finds no room in
// it stays behind until the next run removes it.
struct Slot {
  std::atomic<const char*> name = nullptr;
  std::atomic<pid_t> owner = 0;
};
std::array<Slot, 256> slots;
static_assert(std::atomic<const char*>::is_always_lock_free);

}  // namespace

UnfinishedName::UnfinishedName(std::string name) : name_(std::move(name)), slot_(-1) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const char* free = nullptr;
    if (!slots[i].name.compare_exchange_strong(free, name_.c_str())) continue;
    slots[i].owner = ::getpid();
    slot_ = static_cast<int>(i);
    return;
  }
}

UnfinishedName::~UnfinishedName() {
  if (slot_ < 0) return;
  slots[static_cast<std::size_t>(slot_)].owner = 0;
  slots[static_cast<std::size_t>(slot_)].name = nullptr;
}

void remove_unfinished_files() noexcept {
  for (const Slot& slot : slots)
    if (const char* name = slot.name; name != nullptr && slot.owner == ::getpid()) ::unlink(name);
}

namespace {

constexpr int kMostAtOnce = 1000;  // runs that may write to one place
constexpr std::size_t kLongestSuffix = 12;

std::string name_beside(const std::string& path, int number) {
  return path + ".part-" + std::to_string(number);
}

// The owner of such a file holds a lock on it from before it has a name until it has its last one.
// Who gets the lock while the name still leads there knows that the owner is dead.
void remove_if_dead(const std::string& name) {
  const Descriptor fd(::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (fd.get() < 0 || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 && leads_to(name, fd.get())) ::unlink(name.c_str());
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

void remove_dead_files_beside(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string folder = folder_of(path);
  const std::string begin = fs::path(path).filename().string() + ".part-";
  std::error_code error;  // a folder that cannot be listed can still be written to
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(begin) && is_number(name.substr(begin.size())))
      remove_if_dead(it->path().string());
  }
}

// Unnamed files get their name through /proc.
Descriptor open_unnamed(const std::string& folder) {
  const bool can_be_named = ::access("/proc/self/fd", X_OK) == 0;
  return Descriptor(can_be_named ? ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)
                                 : -1);
}

Descriptor open_named(const std::string& path, std::string& name) {
  for (int number = 0; number < kMostAtOnce; ++number) {
    name = name_beside(path, number);
    Descriptor fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd.get() < 0 && errno == EEXIST) continue;
    if (fd.get() < 0) fail_call("create", path, errno);
    ::flock(fd.get(), LOCK_EX);
    if (leads_to(name, fd.get())) return fd;  // else removed before it was locked
  }
  fail_call("create", path, EEXIST);
}

// As the file that will be replaced: who could read and write that can do so with the new one, and
// nobody else.
void take_mode_and_owner(int fd, const std::string& path) {
  struct stat old {
  }, now{};
  if (::stat(path.c_str(), &old) != 0 || !S_ISREG(old.st_mode) || ::fstat(fd, &now) != 0) return;
  mode_t mode = old.st_mode & 0777;
  if (old.st_uid != now.st_uid && ::fchown(fd, old.st_uid, static_cast<gid_t>(-1)) != 0) errno = 0;
  if (old.st_gid != now.st_gid && ::fchown(fd, static_cast<uid_t>(-1), old.st_gid) != 0)
    mode = (mode & ~mode_t{070}) | (mode & 07) << 3;  // another group gets no more than all do
  if (::fchmod(fd, mode) != 0) fail_call("chmod", path, errno);
}

class RealNewFile final : public NewFile {
 public:
  RealNewFile(std::string path, Descriptor fd, const std::string& name)
      : path_(std::move(path)), out_(path_, std::move(fd)) {
    if (!name.empty()) name_.emplace(name);
  }
  ~RealNewFile() override {
    if (name_) ::unlink(name_->text().c_str());
  }
  RealNewFile(const RealNewFile&) = delete;
  RealNewFile& operator=(const RealNewFile&) = delete;

  int descriptor() const { return out_.descriptor(); }

  void write(std::string_view bytes) override { out_.write(bytes); }
  void sync() override { out_.sync(); }
  void close() override { out_.close(); }

  std::string give_name() override {
    const std::string open = "/proc/self/fd/" + std::to_string(out_.descriptor());
    for (int number = 0; !name_; ++number) {
      const std::string name = name_beside(path_, number);
      if (::linkat(AT_FDCWD, open.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
        name_.emplace(name);
      else if (errno != EEXIST || number == kMostAtOnce)
        fail_call("link", path_, errno);
    }
    return name_->text();
  }

  void put_in_place(IfExists if_exists) override {
    const char* from = name_->text().c_str();
    if (if_exists == IfExists::Refuse)
      move_to_free_place(from);
    else if (::rename(from, path_.c_str()) != 0)
      fail_call("rename", path_, errno);
    name_.reset();
  }

 private:
  // Not every file system can rename so; links never replace anything, where there are links.
  void move_to_free_place(const char* from) const {
    if (::renameat2(AT_FDCWD, from, AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EINVAL || errno == ENOSYS) {
      if (::link(from, path_.c_str()) == 0) return (void)::unlink(from);
      struct stat info {};
      if (errno != EEXIST && ::lstat(path_.c_str(), &info) != 0 &&
          ::rename(from, path_.c_str()) == 0)
        return;
    }
    if (errno == EEXIST) refuse_existing(path_);
    fail_call("rename", path_, errno);
  }

  std::string path_;
  RealOutput out_;
  std::optional<UnfinishedName> name_;  // until it is in its place
};

}  // namespace

std::unique_ptr<NewFile> make_new_file(const std::string& path, Unnamed unnamed) {
  if (std::filesystem::path(path).filename().string().size() + kLongestSuffix > NAME_MAX)
    fail_call("create", path, ENAMETOOLONG);
  remove_dead_files_beside(path);
  const HeldSignals held;  // until a name it may have is known
  std::string name;
  Descriptor fd = unnamed == Unnamed::Never ? Descriptor(-1) : open_unnamed(folder_of(path));
  if (fd.get() < 0)
    fd = open_named(path, name);
  else
    ::flock(fd.get(), LOCK_EX);
  auto file = std::make_unique<RealNewFile>(path, std::move(fd), name);
  take_mode_and_owner(file->descriptor(), path);
  return file;
}

void refuse_existing(const std::string& path) {
  throw Error(Failure::Io, "the file exists already", {path, 0, 0},
              "choose another name, or replace it with " + term("if_exists", "replace"));
}

}  // namespace sieve
