#include "base/real_output.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

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

}  // namespace sieve
