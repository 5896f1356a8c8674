#pragma once

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>

namespace sieve {

// Error(Io) that names the path, the call, why it failed and what to do about it:
// "x/m.model: cannot create: folder 'x' does not exist".
[[noreturn]] void fail_call(const std::string& call, const std::string& path, int error);

// A file descriptor, closed by the destructor unless it belongs to somebody else.
class Descriptor {
 public:
  explicit Descriptor(int fd, bool owned = true) : fd_(fd), owned_(owned) {}
  Descriptor(Descriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), owned_(other.owned_) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  int close() {
    const int fd = std::exchange(fd_, -1);
    return fd >= 0 && owned_ ? ::close(fd) : 0;
  }

 private:
  int fd_;
  bool owned_;
};

// Whether the name still refers to the open file.
bool leads_to(const std::string& name, int fd);

// The folder of a path, "." for a bare name.
std::string folder_of(const std::string& path);

// Blocks signals while it lives. The threads of a ThreadPool never take any, so this covers the
// whole program if the thread that holds it is the only other one.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace sieve
