#include "labelsieve/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "labelsieve/error.h"

namespace sieve {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& call, const std::string& path, int error) {
  std::string hint;
  switch (error) {
    case ENOENT:
      hint = "check the path";
      break;
    case EACCES:
    case EPERM:
      hint = "check the permissions of the file and its folder";
      break;
    case ENOSPC:
      hint = "free some space on that disk and try again";
      break;
    case EISDIR:
      hint = "a file is needed here, this is a folder";
      break;
    case EROFS:
      hint = "choose a folder that can be written";
      break;
    default:
      break;
  }
  throw Error(Failure::Io, call + " failed: " + std::strerror(error), {path, 0, 0}, hint);
}

class Descriptor {
 public:
  Descriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  Descriptor(Descriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), owned_(other.owned_) {}
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  int close() {
    const int fd = std::exchange(fd_, -1);
    return fd >= 0 && owned_ ? ::close(fd) : 0;
  }

 private:
  int fd_;
  bool owned_;
};

class RealInput final : public InputStream {
 public:
  RealInput(std::string path, Descriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::size_t read(char* into, std::size_t size) override {
    while (true) {
      const ssize_t got = ::read(fd_.get(), into, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail("read", path_, errno);
    }
  }

 private:
  std::string path_;
  Descriptor fd_;
};

// A long file goes to the disk while it is written, and what is there leaves the system's memory:
// its pages are used again, which is cheaper than ever new ones and spares what others keep there.
class RealOutput final : public OutputStream {
 public:
  RealOutput(std::string path, Descriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t put = ::write(fd_.get(), bytes.data(), bytes.size());
      if (put < 0 && errno != EINTR) fail("write", path_, errno);
      if (put <= 0) continue;
      bytes.remove_prefix(static_cast<std::size_t>(put));
      written_ += put;
      if (written_ - sent_ >= kStretch) send_stretch();
    }
  }
  void sync() override {
    if (::fsync(fd_.get()) != 0) fail("fsync", path_, errno);
  }
  void close() override {
    if (fd_.close() != 0) fail("close", path_, errno);
  }

 private:
  static constexpr off_t kStretch = off_t{16} << 20;

  // Only advice, which a pipe or an unusual file system may not take.
  void send_stretch() {
    constexpr unsigned kDone =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    ::sync_file_range(fd_.get(), sent_, written_ - sent_, SYNC_FILE_RANGE_WRITE);
    ::sync_file_range(fd_.get(), dropped_, sent_ - dropped_, kDone);
    ::posix_fadvise(fd_.get(), dropped_, sent_ - dropped_, POSIX_FADV_DONTNEED);
    dropped_ = std::exchange(sent_, written_);
  }

  std::string path_;
  Descriptor fd_;
  off_t written_ = 0, sent_ = 0, dropped_ = 0;
};

class RealFileSystem final : public FileSystem {
 public:
  std::unique_ptr<InputStream> open(const std::string& path) override {
    if (path == "-")
      return std::make_unique<RealInput>("standard input", Descriptor(STDIN_FILENO, false));
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC), true);
    if (fd.get() < 0) fail("open", path, errno);
    if (is_folder(path)) fail("open", path, EISDIR);
    return std::make_unique<RealInput>(path, std::move(fd));
  }
  std::shared_ptr<const MappedFile> map(const std::string& path) override {
    if (path == "-") return nullptr;
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC), true);
    if (fd.get() < 0) fail("open", path, errno);
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) fail("stat", path, errno);
    if (!S_ISREG(info.st_mode) || info.st_size == 0) return nullptr;
    const auto size = static_cast<std::size_t>(info.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED) fail("mmap", path, errno);
    return std::make_shared<const MappedFile>(static_cast<const char*>(data), size);
  }
  std::unique_ptr<OutputStream> create(const std::string& path) override {
    Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), true);
    if (fd.get() < 0) fail("create", path, errno);
    return std::make_unique<RealOutput>(path, std::move(fd));
  }
  void rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) fail("rename", to, errno);
  }
  void remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0) fail("remove", path, errno);
  }
  void sync_folder(const std::string& folder) override {
    Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), true);
    if (fd.get() < 0) fail("open", folder, errno);
    // Some file systems can not sync a folder; the rename itself has already happened.
    if (::fsync(fd.get()) != 0 && errno != EINVAL) fail("fsync", folder, errno);
  }
  bool exists(const std::string& path) override {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0;
  }
  bool is_folder(const std::string& path) override {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  }
  std::uint64_t size(const std::string& path) override {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) fail("stat", path, errno);
    return static_cast<std::uint64_t>(info.st_size);
  }
  std::vector<std::string> list(const std::string& folder) override {
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      names.push_back(it->path().filename().string());
    if (error) fail("list", folder, error.value());
    std::sort(names.begin(), names.end());
    return names;
  }
};

// Advice is about whole pages: of those that lie in the range at all (`outer`), or wholly.
void advise(const void* from, std::size_t size, bool outer, int advice) {
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(from), end = begin + size;
  const std::uintptr_t first = (outer ? begin : begin + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (outer ? end + kPage - 1 : end) / kPage * kPage;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, advice);
}

constexpr std::size_t kPiece = std::size_t{1} << 20;

std::string folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace

MappedFile::~MappedFile() {
  ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void MappedFile::give_back(const void* from, std::size_t size) const {
  advise(from, size, false, MADV_DONTNEED);
}

void MappedFile::will_need(const void* from, std::size_t size) const {
  advise(from, size, true, MADV_WILLNEED);
}

FileSystem& FileSystem::real() {
  static RealFileSystem files;
  return files;
}

AtomicFile::AtomicFile(FileSystem& files, std::string path, IfExists if_exists)
    : files_(files), path_(std::move(path)), if_exists_(if_exists) {
  if (files_.is_folder(path_)) fail("create", path_, EISDIR);
  refuse_existing();
  beside_ = path_ + ".part-" + std::to_string(::getpid());
  out_ = files_.create(beside_);
}

AtomicFile::~AtomicFile() {
  if (done_ || !out_) return;
  try {
    out_->close();
    files_.remove(beside_);
  } catch (const std::exception&) {
    // Nothing more can be done for a file that was given up; the old one is untouched.
  }
}

void AtomicFile::refuse_existing() const {
  if (if_exists_ == IfExists::Refuse && files_.exists(path_))
    throw Error(Failure::Io, "the file exists already", {path_, 0, 0},
                "choose another name, or replace it with --force");
}

void AtomicFile::write(std::string_view bytes) {
  if (buffer_.empty() && bytes.size() >= kPiece) return out_->write(bytes);
  buffer_ += bytes;
  if (buffer_.size() >= kPiece) flush();
}

void AtomicFile::flush() {
  out_->write(buffer_);
  buffer_.clear();
}

void AtomicFile::sync() {
  flush();
  out_->sync();
}

void AtomicFile::commit() {
  sync();
  out_->close();
  refuse_existing();  // another run may have finished first
  files_.rename(beside_, path_);
  done_ = true;
  files_.sync_folder(folder_of(path_));
}

}  // namespace sieve
