#include "base/file_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "base/system_call.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

// That a lock was refused because somebody has it, and for no other reason.
void require_held(int error, const std::string& path) {
  if (error != EACCES && error != EAGAIN)
    throw Error(Failure::Io, std::string("cannot be locked: ") + std::strerror(error), {path, 0, 0},
                "run the same command again, or keep the file on a local disk");
}

}  // namespace

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
    require_held(errno, name_.text());
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

SameFileLock::SameFileLock(const std::string& path, const std::string& who,
                           const std::string& hint) {
  Descriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (fd.get() < 0) fail_call("open", path, errno);
  struct flock last {};
  last.l_type = F_WRLCK;
  last.l_whence = SEEK_SET;
  last.l_start = std::numeric_limits<off_t>::max() - 1;
  last.l_len = 1;
  if (::fcntl(fd.get(), F_OFD_SETLK, &last) != 0) {
    require_held(errno, path);
    // This very process may hold it, and its other locks on the file would end with the descriptor.
    (void)fd.release();
    throw Error(Failure::Io, "another " + who + " is using this file, perhaps by another name",
                {path, 0, 0}, hint);
  }
  descriptor_ = fd.release();
}

SameFileLock::~SameFileLock() {
  ::close(descriptor_);
}

}  // namespace sieve
