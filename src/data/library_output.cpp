#include "data/library_output.h"

#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "labelsieve/error.h"

namespace sieve {
namespace {

[[noreturn]] void fail(const char* call) {
  throw Error(Failure::Io, std::string(call) + " failed: " + std::strerror(errno), {},
              "a file that is written in memory first needs room there");
}

}  // namespace

MemoryFile::MemoryFile() : fd_(memfd_create("labelsieve", MFD_CLOEXEC)) {
  if (fd_ < 0) fail("memfd_create");
}

MemoryFile::~MemoryFile() {
  ::close(fd_);
}

void MemoryFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) fail("writing a file in memory");
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
  }
}

std::shared_ptr<const MappedFile> MemoryFile::map() const {
  struct stat info {};
  if (fstat(fd_, &info) != 0) fail("fstat");
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) return nullptr;
  void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) fail("mmap");
  return std::make_shared<const MappedFile>(static_cast<const char*>(memory), size);
}

}  // namespace sieve
