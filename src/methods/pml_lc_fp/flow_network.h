#pragma once

#include <cstddef>
#include <vector>

namespace sieve {

// A small network with real capacities, all pairs of nodes stored. Dinic's algorithm: O(nodes^4) at
// worst, near nodes^2 on the networks we have.
class FlowNetwork {
 public:
  explicit FlowNetwork(std::size_t nodes) : nodes_(nodes), residual_(nodes * nodes) {}

  void add(std::size_t from, std::size_t to, double capacity) { at(from, to) += capacity; }
  // Sends as much as can be sent; capacities become what is left of them.
  void saturate(std::size_t source, std::size_t sink);
  // After saturate: the nodes that cannot reach the sink any more. Of all the minimum cuts this is
  // the one with the largest source side.
  std::vector<char> source_side(std::size_t sink) const;

 private:
  double& at(std::size_t from, std::size_t to) { return residual_[from * nodes_ + to]; }
  double at(std::size_t from, std::size_t to) const { return residual_[from * nodes_ + to]; }
  bool find_levels(std::size_t source, std::size_t sink);
  double push(std::size_t node, std::size_t sink, double most);

  std::size_t nodes_;
  std::vector<double> residual_;
  std::vector<std::size_t> level_, next_;
  double tiny_ = 0;  // less than this is left by rounding alone
};

}  // namespace sieve
