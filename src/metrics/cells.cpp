#include "metrics/cells.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

namespace sieve {
namespace {

constexpr std::size_t kMostTwice = std::size_t{1} << 24;  // more cells are sorted where they lie

// A whole number that is the smaller the higher the score.
template <class T>
auto descending_key(T score) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(T) == sizeof(Bits));
  constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
  const Bits bits = std::bit_cast<Bits>(score);
  return (bits & kSign) != 0 ? bits : static_cast<Bits>(~bits & ~kSign);
}

// A radix sort, several times faster than comparing on the millions of cells there may be. Zeros of
// both signs end up side by side.
template <class T>
void sort_descending(std::vector<Cell<T>>& cells) {
  if (cells.size() > kMostTwice) {
    std::ranges::sort(cells, {}, [](const Cell<T>& cell) { return descending_key(cell.score); });
    return;
  }
  constexpr unsigned kDigitBits = 11;
  std::vector<Cell<T>> sorted(cells.size());
  for (unsigned shift = 0; shift < 8 * sizeof(T); shift += kDigitBits) {
    const auto digit = [&](const Cell<T>& cell) {
      return (descending_key(cell.score) >> shift) % (1U << kDigitBits);
    };
    std::array<std::size_t, (1U << kDigitBits) + 1> places{};
    for (const Cell<T>& cell : cells) ++places[digit(cell) + 1];
    std::partial_sum(places.begin(), places.end(), places.begin());
    for (const Cell<T>& cell : cells) sorted[places[digit(cell)]++] = cell;
    cells.swap(sorted);
  }
}

// Calls visit(positives, negatives) for each group of equal scores, highest first.
template <class T, class Visit>
void for_each_threshold(std::vector<Cell<T>>& cells, Visit&& visit) {
  sort_descending(cells);
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
  return static_cast<double>(half_pairs) /
         (2 * static_cast<double>(above) * static_cast<double>(below));
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
