#include "metrics/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr double kLargest = 1e150;  // squares of larger differences would overflow

}  // namespace

void check_sample(std::span<const double> values) {
  if (values.size() < 2)
    throw Error(Failure::Usage,
                fmt::format("a test needs at least 2 values, not {}", values.size()), {},
                "repeat the experiment more often");
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::abs(values[i]) <= kLargest))
      throw Error(
          Failure::Data,
          fmt::format(
              "value {} of a test is not a finite number or too large (values count from 1)",
              i + 1),
          {}, "leave out the measure or the repeat that has no value");
}

std::vector<double> differences(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size())
    throw Error(Failure::Usage,
                fmt::format("a paired test needs matched values, not {} and {} of them", a.size(),
                            b.size()),
                {}, "compare the same repeats, or use Welch's test");
  check_sample(a);
  check_sample(b);
  std::vector<double> result(a.size());
  std::ranges::transform(a, b, result.begin(), std::minus<>{});
  return result;
}

RankedValues rank_values(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  RankedValues ranks{std::vector<double>(values.size()), {}};
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + 1 + end) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks.of[order[i]] = shared;
    ranks.group_sizes.push_back(end - begin);
  }
  return ranks;
}

}  // namespace sieve
