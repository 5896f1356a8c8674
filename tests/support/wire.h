#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace sieve::test {

// A connection to this machine that says what it is told to.
class Wire {
 public:
  explicit Wire(std::uint16_t port, int how = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | how, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    (void)::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to);
  }
  Wire(Wire&& other) noexcept : socket_(other.socket_) { other.socket_ = -1; }
  ~Wire() {
    if (socket_ >= 0) ::close(socket_);
  }
  bool say(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  bool has_word(int wait_ms = 0) const {
    pollfd end{socket_, POLLIN, 0};
    return ::poll(&end, 1, wait_ms) == 1;
  }
  bool waits_for_word() const { return has_word(20000); }
  // Until the other side hangs up.
  std::string hear() const {
    std::string all;
    char part[4096];
    for (ssize_t got = 0; (got = ::recv(socket_, part, sizeof part, 0)) > 0;)
      all.append(part, static_cast<std::size_t>(got));
    return all;
  }

 private:
  int socket_;
};

}  // namespace sieve::test
