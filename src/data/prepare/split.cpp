#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "data/prepare/shuffled.h"
#include "labelsieve/prepare.h"

namespace sieve {
namespace {

std::vector<std::size_t> shuffled_rows(std::size_t rows, std::uint64_t seed) {
  Random random(seed, Purpose::Split);
  return shuffled_indices(rows, random);
}

std::vector<std::size_t> sorted(std::span<const std::size_t> rows) {
  std::vector<std::size_t> out(rows.begin(), rows.end());
  std::ranges::sort(out);
  return out;
}

}  // namespace

Split split_random(std::size_t rows, double test_share, std::uint64_t seed) {
  require(test_share > 0 && test_share < 1,
          fmt::format("the test share is {}, but must lie between 0 and 1", test_share));
  require(rows >= 2, fmt::format("{} rows cannot be split in two", rows));
  const std::vector<std::size_t> order = shuffled_rows(rows, seed);
  const auto wanted =
      static_cast<std::size_t>(std::llround(test_share * static_cast<double>(rows)));
  const std::size_t test = std::clamp<std::size_t>(wanted, 1, rows - 1);
  const std::span<const std::size_t> all(order);
  return {sorted(all.subspan(test)), sorted(all.first(test))};
}

std::vector<std::vector<std::size_t>> folds_random(std::size_t rows, std::size_t k,
                                                   std::uint64_t seed) {
  require(k >= 2 && k <= rows, fmt::format("{} rows cannot make {} folds", rows, k),
          "use at least 2 folds and at most one per row");
  const std::vector<std::size_t> order = shuffled_rows(rows, seed);
  std::vector<std::vector<std::size_t>> folds(k);
  for (std::size_t i = 0; i < rows; ++i) folds[i % k].push_back(order[i]);
  for (auto& fold : folds) std::ranges::sort(fold);
  return folds;
}

Split split_of_fold(const std::vector<std::vector<std::size_t>>& folds, std::size_t i) {
  require(i < folds.size(), fmt::format("there is no fold {} among {}", i, folds.size()),
          "folds count from 0");
  Split split;
  split.test = folds[i];
  for (std::size_t f = 0; f < folds.size(); ++f)
    if (f != i) split.train.insert(split.train.end(), folds[f].begin(), folds[f].end());
  std::ranges::sort(split.train);
  return split;
}

}  // namespace sieve
