#include "methods/shared/finite_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "labelsieve/error.h"
#include "linalg/entries.h"

namespace sieve {
namespace {

// "feature 3 is 3e+38", of the largest in the row.
std::string largest_feature(const Features& x, std::size_t row) {
  std::size_t feature = 0;
  float largest = 0;
  for_each_entry(x, row, [&](std::size_t j, float value) {
    if (std::abs(value) > std::abs(largest)) feature = j, largest = value;
  });
  return fmt::format("feature {} is {:g}", feature + 1, largest);
}

}  // namespace

NotFinite::NotFinite(std::size_t row, std::string reason, const std::string& id)
    : Error(Failure::Data,
            fmt::format("row {}{} (counting from 1): {}", row + 1,
                        id.empty() ? "" : " '" + id + "'", reason),
            {}, "check the units of its features, or leave the row out"),
      row_(row),
      reason_(std::move(reason)) {}

// Without a way out of the loop, which is quicker for all but those that are not.
bool all_finite(std::span<const float> values) {
  bool finite = true;
  for (const float value : values) finite &= std::abs(value) <= std::numeric_limits<float>::max();
  return finite;
}

Matrix finite_scores(Matrix scores, const Features& x) {
  for (std::size_t i = 0; i < scores.rows(); ++i)
    if (!all_finite(scores.row(i)))
      throw NotFinite(i, "the model has no finite scores for it; " + largest_feature(x, i));
  return scores;
}

}  // namespace sieve
