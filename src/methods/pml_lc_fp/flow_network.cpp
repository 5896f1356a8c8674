#include "methods/pml_lc_fp/flow_network.h"

#include <algorithm>
#include <limits>

namespace sieve {
namespace {

constexpr double kRounding = 1e-13;  // of the largest capacity

}  // namespace

void FlowNetwork::saturate(std::size_t source, std::size_t sink) {
  tiny_ = kRounding * *std::ranges::max_element(residual_);
  while (find_levels(source, sink)) {
    next_.assign(nodes_, 0);
    while (push(source, sink, std::numeric_limits<double>::infinity()) > 0) {
    }
  }
}

bool FlowNetwork::find_levels(std::size_t source, std::size_t sink) {
  level_.assign(nodes_, nodes_);
  level_[source] = 0;
  std::vector<std::size_t> queue = {source};
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (std::size_t to = 0; to < nodes_; ++to)
      if (level_[to] == nodes_ && at(queue[head], to) > tiny_) {
        level_[to] = level_[queue[head]] + 1;
        queue.push_back(to);
      }
  return level_[sink] < nodes_;
}

// Sends up to `most` along one path of rising levels; 0 if there is none left.
double FlowNetwork::push(std::size_t node, std::size_t sink, double most) {
  if (node == sink) return most;
  for (std::size_t& to = next_[node]; to < nodes_; ++to) {
    if (level_[to] != level_[node] + 1 || at(node, to) <= tiny_) continue;
    const double sent = push(to, sink, std::min(most, at(node, to)));
    if (sent > 0) {
      at(node, to) -= sent;
      at(to, node) += sent;
      return sent;
    }
  }
  return 0;
}

std::vector<char> FlowNetwork::source_side(std::size_t sink) const {
  std::vector<char> side(nodes_, 1);
  side[sink] = 0;
  std::vector<std::size_t> queue = {sink};
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (std::size_t from = 0; from < nodes_; ++from)
      if (side[from] != 0 && at(from, queue[head]) > tiny_) {
        side[from] = 0;
        queue.push_back(from);
      }
  return side;
}

}  // namespace sieve
