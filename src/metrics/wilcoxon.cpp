#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>

#include "labelsieve/metrics.h"
#include "metrics/samples.h"

namespace sieve {
namespace {

constexpr std::size_t kExactPairs = 25;

// Probability that the smaller rank sum of n pairs is at most `smaller`: counts the sets of ranks
// with such a sum among the 2^n equally likely ones.
double exact_p_value(std::size_t n, std::size_t smaller) {
  std::vector<std::uint64_t> sets(smaller + 1);  // sets[s]: sets of ranks that sum to s
  sets[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t sum = smaller; sum >= rank; --sum) sets[sum] += sets[sum - rank];
  std::uint64_t count = 0;
  for (const std::uint64_t part : sets) count += part;
  return std::min(1.0, 2 * std::ldexp(static_cast<double>(count), -static_cast<int>(n)));
}

double approximate_p_value(double n, double difference, const RankedValues& ranks) {
  double variance = n * (n + 1) * (2 * n + 1) / 6;  // of W+ - W-, twice the deviation of W+
  for (const std::size_t size : ranks.group_sizes) {
    const auto tied = static_cast<double>(size);
    variance -= (tied * tied * tied - tied) / 12;
  }
  const double z = std::abs(difference) / std::sqrt(variance);
  return 2 * cdf(complement(boost::math::normal(), z));
}

}  // namespace

TestResult wilcoxon_test(std::span<const double> a, std::span<const double> b) {
  std::vector<double> signed_differences = differences(a, b), sizes;
  std::erase(signed_differences, 0.0);
  if (signed_differences.empty()) return {0, 1, 0};
  for (const double d : signed_differences) sizes.push_back(std::abs(d));
  const RankedValues ranks = rank_values(sizes);
  double positive = 0, negative = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    (signed_differences[i] > 0 ? positive : negative) += ranks.of[i];

  const std::size_t n = sizes.size();
  const bool has_ties = ranks.group_sizes.size() < n;
  const double p = n <= kExactPairs && !has_ties
                       ? exact_p_value(n, static_cast<std::size_t>(std::min(positive, negative)))
                       : approximate_p_value(static_cast<double>(n), positive - negative, ranks);
  return {positive - negative, p, static_cast<double>(n)};
}

}  // namespace sieve
