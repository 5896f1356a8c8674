#include "cluster/meeting.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/packer.h"
#include "labelsieve/error.h"

namespace sieve {
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
  Packer out;
  out.text(token_);
  out.whole(ntohs(where.sin_port));
  for (const std::string& address : own_addresses()) out.text(address);
  invitation_ = out.bytes;
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
  Unpacker in(first_message);
  const bool known = in.text() == token_;
  rest = in.text();
  return known && in.at_end();
}

Link meet(const std::string& invitation, const std::string& hello) {
  Unpacker in(invitation);
  Packer greeting;
  greeting.text(in.text());
  greeting.text(hello);
  const std::uint64_t port = in.whole();
  std::vector<std::string> addresses;
  while (in.good && !in.at_end()) addresses.push_back(in.text());
  std::string tried;
  for (int round = 0; round < kRounds; ++round)
    for (const std::string& address : addresses) {
      const int socket = connected(socket_address(address, port));
      if (socket >= 0) {
        Link link(socket);
        link.send(greeting.bytes);
        return link;
      }
      if (round == 0) tried += fmt::format(" {}:{} ({})", address, port, std::strerror(errno));
    }
  throw Error(Failure::Io, "rank 0 cannot be reached; tried" + tried, {},
              "the machines must be able to connect to each other: is there a firewall?");
}

}  // namespace sieve
