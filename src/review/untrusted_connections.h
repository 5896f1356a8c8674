#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <vector>

namespace sieve {

// The open connections that have not shown the token yet, which anybody can make. There is room for
// a fixed number: where one more comes, the oldest of the address that has most is to be closed,
// however busily it sends. So is every one that has not shown the token in time.
class UntrustedConnections {
 public:
  using Clock = std::chrono::steady_clock;
  using Connection = const void*;

  UntrustedConnections(std::size_t most, std::chrono::seconds time) : most_(most), time_(time) {}

  // A new connection; gives the sockets that are now to be closed, and forgets them.
  std::vector<int> came(Connection connection, int socket, std::string address,
                        Clock::time_point now);
  // It has shown the token, or was closed.
  void left(Connection connection);
  std::size_t size() const { return all_.size(); }

 private:
  struct One {
    Connection connection;
    int socket;
    std::string address;
    Clock::time_point since;
  };
  std::list<One>::iterator oldest_of_the_most();

  std::size_t most_;
  std::chrono::seconds time_;
  std::list<One> all_;  // the oldest first
};

}  // namespace sieve
