#include "cluster/link.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace sieve {
namespace {

// A message is its size in four bytes, big-endian, followed by its bytes.
constexpr std::size_t kHead = 4;
constexpr std::size_t kLargest = std::size_t{1} << 26;

void set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

std::size_t size_of_next(const std::string& received) {
  std::uint32_t size = 0;
  std::memcpy(&size, received.data(), kHead);
  return ntohl(size);
}

}  // namespace

Link::Link(int socket) : socket_(socket) {
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 6);  // asks after six seconds of silence
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 3);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 18'000);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
}

Link::~Link() {
  if (socket_ >= 0) ::close(socket_);
}

Link::Link(Link&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      received_(std::move(other.received_)),
      there_(other.there_) {}

Link& Link::operator=(Link&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(received_, other.received_);
  std::swap(there_, other.there_);
  return *this;
}

void Link::send(const std::string& message) {
  const std::uint32_t size = htonl(static_cast<std::uint32_t>(message.size()));
  std::string bytes(kHead, '\0');
  std::memcpy(bytes.data(), &size, kHead);
  bytes += message;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t sent = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return;
    if (sent > 0) done += static_cast<std::size_t>(sent);
  }
}

bool Link::receive() {
  std::array<char, 65536> block{};
  while (there_) {
    const ssize_t got = ::recv(socket_, block.data(), block.size(), MSG_DONTWAIT);
    if (got > 0) received_.append(block.data(), static_cast<std::size_t>(got));
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got == 0 || (got < 0 && errno != EINTR)) there_ = false;
    if (received_.size() >= kHead && size_of_next(received_) > kLargest) there_ = false;
  }
  return there_;
}

std::optional<std::string> Link::next() {
  if (received_.size() < kHead) return std::nullopt;
  const std::size_t size = size_of_next(received_);
  if (size > kLargest || received_.size() - kHead < size) return std::nullopt;
  std::string message = received_.substr(kHead, size);
  received_.erase(0, kHead + size);
  return message;
}

}  // namespace sieve
