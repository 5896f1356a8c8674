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

#include "base/new_file.h"
#include "base/system_call.h"

namespace sieve {
namespace {

namespace fs = std::filesystem;

class RealInput final : public InputStream {
 public:
  RealInput(std::string path, Descriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::size_t read(char* into, std::size_t size) override {
    while (true) {
      const ssize_t got = ::read(fd_.get(), into, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail_call("read", path_, errno);
    }
  }

 private:
  std::string path_;
  Descriptor fd_;
};

// Where the links at `path` finally lead, whether or not anything exists there.
std::string behind_links(std::string path) {
  constexpr int kMost = 40;
  for (int links = 0; fs::is_symlink(fs::symlink_status(path)); ++links) {
    if (links == kMost) fail_call("create", path, ELOOP);
    const fs::path to = fs::read_symlink(path);
    path = (to.is_absolute() ? to : fs::path(path).parent_path() / to).string();
  }
  return path;
}

class RealFileSystem final : public FileSystem {
 public:
  std::unique_ptr<InputStream> open(const std::string& path) override {
    if (path == "-")
      return std::make_unique<RealInput>("standard input", Descriptor(STDIN_FILENO, false));
    Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) fail_call("open", path, errno);
    if (is_folder(path)) fail_call("open", path, EISDIR);
    return std::make_unique<RealInput>(path, std::move(fd));
  }
  std::shared_ptr<const MappedFile> map(const std::string& path) override {
    struct stat info {};
    // A pipe must not be opened twice: nobody might write to it the second time.
    if (path == "-" || (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))) return nullptr;
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) fail_call("open", path, errno);
    if (::fstat(fd.get(), &info) != 0) fail_call("stat", path, errno);
    if (!S_ISREG(info.st_mode) || info.st_size == 0) return nullptr;
    const auto size = static_cast<std::size_t>(info.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED) fail_call("mmap", path, errno);
    return std::make_shared<const MappedFile>(static_cast<const char*>(data), size);
  }
  Destination destination(const std::string& path) override {
    using Kind = Destination::Kind;
    struct stat info {};
    // Left to the system, because it may forbid following a link.
    if (::stat(path.c_str(), &info) != 0) {
      if (errno != ENOENT) fail_call("create", path, errno);
      return {Kind::None, behind_links(path)};
    }
    if (S_ISDIR(info.st_mode)) return {Kind::Folder, path};
    if (S_ISREG(info.st_mode)) return {Kind::Regular, behind_links(path)};
    if (!S_ISFIFO(info.st_mode) && !S_ISCHR(info.st_mode)) return {Kind::Other, path};
    if (::access(path.c_str(), W_OK) != 0) fail_call("open", path, errno);
    return {Kind::Stream, path};
  }
  std::unique_ptr<NewFile> create(const std::string& path) override { return make_new_file(path); }
  std::unique_ptr<OutputStream> open_stream(const std::string& path) override {
    Descriptor fd(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
    if (fd.get() < 0) fail_call("open", path, errno);
    return std::make_unique<RealOutput>(path, std::move(fd));
  }
  void remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail_call("remove", path, errno);
  }
  void sync_folder(const std::string& folder) override {
    const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0 && errno == EACCES) return;  // may be writable but not readable
    if (fd.get() < 0) fail_call("open", folder, errno);
    // Some file systems cannot sync a folder; the rename itself has already happened.
    if (::fsync(fd.get()) != 0 && errno != EINVAL) fail_call("fsync", folder, errno);
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
    if (::stat(path.c_str(), &info) != 0) fail_call("stat", path, errno);
    return static_cast<std::uint64_t>(info.st_size);
  }
  std::string stamp(const std::string& path) override {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return {};
    return std::to_string(info.st_size) + "-" + std::to_string(info.st_mtim.tv_sec) + "-" +
           std::to_string(info.st_mtim.tv_nsec);
  }
  std::vector<std::string> list(const std::string& folder) override {
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
      names.push_back(it->path().filename().string());
    if (error) fail_call("list", folder, error.value());
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace

MappedFile::~MappedFile() {
  ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

FileSystem& FileSystem::real() {
  static RealFileSystem files;
  return files;
}

}  // namespace sieve
