#include "experiment/store_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "labelsieve/error.h"

namespace sieve {

StoreLock::StoreLock(const std::string& store) {
  const std::string path = store + ".lock";
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw Error(Failure::Io, std::string("can not be opened: ") + std::strerror(errno),
                {path, 0, 0}, "the folder of the store must exist and be writable");
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor_, F_SETLK, &whole) == 0) return;
  const int error = errno;
  const bool held = (error == EACCES || error == EAGAIN) &&
                    ::fcntl(descriptor_, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  ::close(descriptor_);
  if (held)
    throw Error(
        Failure::Io,
        "another experiment (process " + std::to_string(whole.l_pid) + ") is writing to this store",
        {store, 0, 0}, "wait for its end, or give another --store");
  throw Error(Failure::Io, std::string("can not be locked: ") + std::strerror(error), {path, 0, 0},
              "run the same command again, or keep the store on a local disk");
}

StoreLock::~StoreLock() {
  ::close(descriptor_);
}

}  // namespace sieve
