#include "data/mat/scratch_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "labelsieve/error.h"

namespace sieve {
namespace {

[[noreturn]] void fail(const char* call) {
  throw Error(
      Failure::Io, std::string(call) + " failed: " + std::strerror(errno), {},
      "MAT 7.3, and predicting from any MAT file, needs room in /tmp for the unpacked data");
}

}  // namespace

ScratchFile::ScratchFile() {
  std::string name = "/tmp/labelsieve-mat-XXXXXX";
  fd_ = mkostemp(name.data(), O_CLOEXEC);
  if (fd_ < 0) fail("creating a temporary file");
  name_.emplace(name);
}

ScratchFile::~ScratchFile() {
  drop_name();
  ::close(fd_);
}

void ScratchFile::drop_name() {
  if (name_) ::unlink(name_->text().c_str());
  name_.reset();
}

void ScratchFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno != EINTR) fail("writing a temporary file");
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
  }
}

std::shared_ptr<const MappedFile> ScratchFile::map() const {
  const std::size_t bytes = size();
  if (bytes == 0) return nullptr;
  void* memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) fail("mmap");
  return std::make_shared<const MappedFile>(static_cast<const char*>(memory), bytes);
}

std::size_t ScratchFile::size() const {
  struct stat info {};
  if (fstat(fd_, &info) != 0) fail("fstat");
  return static_cast<std::size_t>(info.st_size);
}

}  // namespace sieve
