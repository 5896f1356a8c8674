#include "cluster/meeting.h"

#include <fcntl.h>
#include <ifaddrs.h>
#include <poll.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "labelsieve/error.h"

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

namespace {

constexpr int kConnectMilliseconds = 5000;  // for one address
constexpr int kRounds = 3;                  // over all addresses

std::string fresh_token() {
  std::array<std::uint64_t, 2> words{};
  if (::getrandom(words.data(), sizeof words, 0) != sizeof words)
    throw Error(Failure::Io, "the system provides no random bytes", {}, "try again");
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

// The addresses of this machine; the loopback address only if there is no other.
std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) all = nullptr;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    if ((each->ifa_flags & IFF_UP) == 0 || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* address = reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
    if (::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()) != nullptr)
      addresses.emplace_back(text.data());
  }
  if (all != nullptr) ::freeifaddrs(all);
  if (addresses.empty()) addresses.emplace_back("127.0.0.1");
  return addresses;
}

sockaddr_in socket_address(const std::string& address, std::uint64_t port) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, address.c_str(), &where.sin_addr);
  return where;
}

// The socket, or -1 with errno set.
int connected(const sockaddr_in& where) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return -1;
  int error = 0;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0)
    error = errno;
  if (error == EINPROGRESS) {
    pollfd ready{socket, POLLOUT, 0};
    socklen_t size = sizeof error;
    error = ETIMEDOUT;
    if (::poll(&ready, 1, kConnectMilliseconds) == 1)
      ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error == 0 && ::fcntl(socket, F_SETFL, 0) == 0) return socket;
  ::close(socket);
  errno = error;
  return -1;
}

Error no_port() {
  return {Failure::Io, std::string("rank 0 cannot listen for the others: ") + std::strerror(errno)};
}

}  // namespace

MeetingPoint::MeetingPoint() : token_(fresh_token()) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof where;
  auto* plain = reinterpret_cast<sockaddr*>(&where);
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) throw no_port();
  if (::bind(socket_, plain, size) != 0 || ::listen(socket_, SOMAXCONN) != 0 ||
      ::getsockname(socket_, plain, &size) != 0) {
    const Error error = no_port();
    ::close(socket_);
    throw error;
  }
  invitation_ =
      fmt::format("{} {} {}", token_, ntohs(where.sin_port), fmt::join(own_addresses(), " "));
}

MeetingPoint::~MeetingPoint() {
  if (socket_ >= 0) ::close(socket_);
}

MeetingPoint::MeetingPoint(MeetingPoint&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      invitation_(std::move(other.invitation_)),
      token_(std::move(other.token_)) {}

std::optional<Link> MeetingPoint::accept() {
  const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return std::nullopt;
  return Link(socket);
}

bool MeetingPoint::admits(const std::string& first_message, std::string& rest) const {
  if (!first_message.starts_with(token_)) return false;
  rest = first_message.substr(token_.size());
  return true;
}

Link meet(const std::string& invitation, const std::string& hello) {
  std::istringstream in(invitation);
  std::string token;
  std::uint64_t port = 0;
  in >> token >> port;
  const std::vector<std::string> addresses(std::istream_iterator<std::string>(in), {});
  std::string tried;
  for (int round = 0; round < kRounds; ++round)
    for (const std::string& address : addresses) {
      const int socket = connected(socket_address(address, port));
      if (socket >= 0) {
        Link link(socket);
        link.send(token + hello);
        return link;
      }
      if (round == 0) tried += fmt::format(" {}:{} ({})", address, port, std::strerror(errno));
    }
  throw Error(Failure::Io, "rank 0 cannot be reached; tried" + tried, {},
              "the machines must be able to connect to each other: is there a firewall?");
}

GridPlace place_on_grid(Ranks& ranks) {
  GridPlace place;
  place.rank = static_cast<std::size_t>(ranks.rank());
  place.ranks = static_cast<std::size_t>(ranks.size());
  if (place.rank == 0) place.point.emplace();
  place.invitation = ranks.gather_all(place.point ? place.point->invitation() : "").front();
  return place;
}

}  // namespace sieve
