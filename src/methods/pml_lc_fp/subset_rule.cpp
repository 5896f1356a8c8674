#include "methods/pml_lc_fp/subset_rule.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "methods/pml_lc_fp/flow_network.h"

namespace sieve {
namespace {

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
