#include "review/untrusted_connections.h"

#include <algorithm>
#include <map>

namespace sieve {

std::vector<int> UntrustedConnections::came(Connection connection, int socket, std::string address,
                                            Clock::time_point now) {
  all_.push_back({connection, socket, std::move(address), now});
  std::vector<int> closed;
  while (now - all_.front().since > time_) {
    closed.push_back(all_.front().socket);
    all_.pop_front();
  }
  while (all_.size() > most_) {
    const auto one = oldest_of_the_most();
    closed.push_back(one->socket);
    all_.erase(one);
  }
  return closed;
}

std::list<UntrustedConnections::One>::iterator UntrustedConnections::oldest_of_the_most() {
  std::map<std::string, std::size_t> counts;
  for (const One& one : all_) ++counts[one.address];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return std::ranges::find(all_, most->first, &One::address);
}

void UntrustedConnections::left(Connection connection) {
  std::erase_if(all_, [&](const One& one) { return one.connection == connection; });
}

}  // namespace sieve
