#include "metrics/cells.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sieve {
namespace {

// Calls visit(positives, negatives) for each group of equal scores, highest first.
template <class T, class Visit>
void for_each_threshold(std::vector<Cell<T>>& cells, Visit&& visit) {
  std::ranges::sort(cells, std::ranges::greater{}, &Cell<T>::score);
  for (std::size_t i = 0; i < cells.size();) {
    const T score = cells[i].score;
    std::uint64_t positives = 0, size = 0;
    for (; i < cells.size() && cells[i].score == score; ++i) positives += cells[i].positive, ++size;
    visit(positives, size - positives);
  }
}

}  // namespace

template <class T>
std::optional<double> area_under_roc(std::vector<Cell<T>>& cells) {
  // Whole numbers (half pairs) keep the sum exact.
  std::uint64_t above = 0, below = 0, half_pairs = 0;
  for_each_threshold(cells, [&](std::uint64_t positives, std::uint64_t negatives) {
    half_pairs += negatives * (2 * above + positives);
    above += positives;
    below += negatives;
  });
  if (above == 0 || below == 0) return std::nullopt;
  return static_cast<double>(half_pairs) / 2 / static_cast<double>(above) /
         static_cast<double>(below);
}

template <class T>
std::optional<double> step_average_precision(std::vector<Cell<T>>& cells) {
  std::uint64_t found = 0, depth = 0;
  double sum = 0;
  for_each_threshold(cells, [&](std::uint64_t positives, std::uint64_t negatives) {
    found += positives;
    depth += positives + negatives;
    sum += static_cast<double>(positives) * static_cast<double>(found) / static_cast<double>(depth);
  });
  if (found == 0) return std::nullopt;
  return sum / static_cast<double>(found);
}

template std::optional<double> area_under_roc(std::vector<Cell<float>>&);
template std::optional<double> area_under_roc(std::vector<Cell<double>>&);
template std::optional<double> step_average_precision(std::vector<Cell<float>>&);
template std::optional<double> step_average_precision(std::vector<Cell<double>>&);

}  // namespace sieve
