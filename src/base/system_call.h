#pragma once

#include <unistd.h>

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

}  // namespace sieve
