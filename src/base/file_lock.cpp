#include "base/file_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/system_call.h"
#include "labelsieve/error.h"

namespace sieve {
FileLock::FileLock(const std::string& path, const std::string& who, const std::string& hint)
    : name_(path + ".lock") {
  while (true) {
    Descriptor fd(::open(name_.text().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (fd.get() < 0) fail_call("open", name_.text(), errno);
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(fd.get(), F_SETLK, &whole) == 0) {
      if (!leads_to(name_.text(), fd.get())) continue;  // its owner has just removed it
      descriptor_ = fd.release();
      return;
    }
    const int error = errno;
    if (error != EACCES && error != EAGAIN)
      throw Error(Failure::Io, std::string("cannot be locked: ") + std::strerror(error),
                  {name_.text(), 0, 0},
                  "run the same command again, or keep the file on a local disk");
    if (::fcntl(fd.get(), F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK)
      throw Error(Failure::Io,
                  "another " + who + " (process " + std::to_string(whole.l_pid) + ") is using this",
                  {path, 0, 0}, hint);
  }
}

FileLock::~FileLock() {
  ::unlink(name_.text().c_str());
  ::close(descriptor_);
}

}  // namespace sieve
