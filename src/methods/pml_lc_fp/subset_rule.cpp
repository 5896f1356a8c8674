#include "methods/pml_lc_fp/subset_rule.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace sieve {
namespace {

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

constexpr double kTinyFlow = 1e-13;  // of the largest capacity

void FlowNetwork::saturate(std::size_t source, std::size_t sink) {
  tiny_ = kTinyFlow * *std::ranges::max_element(residual_);
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

constexpr std::size_t kMostEnumerated = 14;
constexpr double kRounding = 1e-12;      // of the scale: values closer than this are equal
constexpr std::size_t kMostPrices = 64;  // Dinkelbach's method needs a handful

struct Subset {
  std::vector<char> in;
  double value = 0;  // f
  std::size_t count = 0;
};

Subset subset(const SubsetCost& cost, std::vector<char> in) {
  Subset out{std::move(in)};
  for (std::size_t k = 0; k < cost.size; ++k) {
    if (out.in[k] == 0) continue;
    ++out.count;
    out.value += cost.cost[k];
    for (std::size_t l = 0; l < cost.size; ++l)
      if (out.in[l] == 0) out.value += cost.pair(k, l);
  }
  return out;
}

// The largest set that minimises f(A) - price |A|: the source side of a minimum cut.
Subset cheapest(const SubsetCost& cost, double price) {
  const std::size_t source = cost.size, sink = cost.size + 1;
  FlowNetwork network(cost.size + 2);
  for (std::size_t k = 0; k < cost.size; ++k) {
    const double alone = cost.cost[k] - price;
    if (alone < 0) network.add(source, k, -alone);
    if (alone > 0) network.add(k, sink, alone);
    for (std::size_t l = 0; l < cost.size; ++l)
      if (l != k) network.add(k, l, cost.pair(k, l));
  }
  network.saturate(source, sink);
  std::vector<char> side = network.source_side(sink);
  side.resize(cost.size);
  return subset(cost, std::move(side));
}

void spread(const Subset& set, double each, std::span<double> confidence) {
  for (std::size_t k = 0; k < confidence.size(); ++k) confidence[k] = set.in[k] != 0 ? each : 0;
}

// Keeps the smaller value; the larger set where values are equal.
struct Best {
  double value = 0, tiny = 0;
  std::size_t count = 0, set = 0;

  void offer(double other, std::size_t other_count, std::size_t other_set) {
    const bool equal = std::abs(other - value) <= tiny;
    if (count == 0 || (equal ? other_count > count : other < value))
      value = other, count = other_count, set = other_set;
  }
};

}  // namespace

void SubsetCost::resize(std::size_t candidates) {
  size = candidates;
  cost.assign(size, 0.0);
  pairs.assign(size * size, 0.0);
}

double SubsetCost::of(std::span<const double> confidence) const {
  double sum = 0;
  for (std::size_t k = 0; k < size; ++k) {
    sum += cost[k] * confidence[k];
    for (std::size_t l = 0; l < size; ++l)
      sum += pair(k, l) * std::max(0.0, confidence[k] - confidence[l]);
  }
  return sum;
}

double SubsetCost::scale() const {
  double sum = 0;
  for (const double value : cost) sum += std::abs(value);
  for (const double value : pairs) sum += value;
  return sum;
}

void SubsetRule::solve(const SubsetCost& cost, std::span<double> confidence) {
  return cost.size <= kMostEnumerated ? solve_by_enumeration(cost, confidence)
                                      : solve_by_cuts(cost, confidence);
}

// f of every subset by doubling: with label k it is f without k, plus what k costs alone, minus
// what k and the others no longer pay for being apart. Two additions a subset.
void SubsetRule::solve_by_enumeration(const SubsetCost& cost, std::span<double> confidence) {
  const std::size_t subsets = std::size_t{1} << cost.size;
  values_.assign(subsets, 0.0);
  sums_.assign(subsets, 0.0);
  for (std::size_t k = 0; k < cost.size; ++k) {
    double alone = cost.cost[k];
    for (std::size_t l = 0; l < cost.size; ++l)
      if (l != k) alone += cost.pair(k, l);
    for (std::size_t l = 0; l < k; ++l) {
      const double together = cost.pair(k, l) + cost.pair(l, k);
      const std::size_t bit = std::size_t{1} << l;
      for (std::size_t m = 0; m < bit; ++m) sums_[bit + m] = sums_[m] + together;
    }
    const std::size_t bit = std::size_t{1} << k;
    for (std::size_t m = 0; m < bit; ++m) values_[bit + m] = values_[m] + alone - sums_[m];
  }
  const double tiny = kRounding * cost.scale();
  Best sum{.tiny = tiny}, mean{.tiny = tiny};
  for (std::size_t set = 1; set < subsets; ++set) {
    const auto count = static_cast<std::size_t>(std::popcount(set));
    sum.offer(values_[set], count, set);
    mean.offer(values_[set] / static_cast<double>(count), count, set);
  }
  const bool whole = sum.value < -tiny;
  const double each = whole ? 1 : 1 / static_cast<double>(mean.count);
  const std::size_t set = whole ? sum.set : mean.set;
  for (std::size_t k = 0; k < cost.size; ++k) confidence[k] = (set >> k & 1U) != 0 ? each : 0;
}

// Dinkelbach's method: the least mean is the price at which the cheapest set costs nothing.
void SubsetRule::solve_by_cuts(const SubsetCost& cost, std::span<double> confidence) {
  const double tiny = kRounding * cost.scale();
  const Subset free = cheapest(cost, 0);
  if (free.value < -tiny) return spread(free, 1, confidence);
  Subset best = subset(cost, std::vector<char>(cost.size, 1));
  for (std::size_t round = 0; round < kMostPrices; ++round) {
    const double price = best.value / static_cast<double>(best.count);
    Subset next = cheapest(cost, price);
    const double gain = price * static_cast<double>(next.count) - next.value;
    if (gain <= tiny && next.count <= best.count) break;
    best = std::move(next);
    if (gain <= tiny) break;
  }
  spread(best, 1 / static_cast<double>(best.count), confidence);
}

}  // namespace sieve
