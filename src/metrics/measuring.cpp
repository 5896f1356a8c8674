#include "metrics/measuring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include "base/format_text.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

void check_shape(std::string_view name, std::size_t rows, std::size_t labels,
                 const LabelMatrix& truth) {
  if (rows == truth.rows() && labels == truth.labels()) return;
  throw Error(Failure::Data,
              fmt::format("the {} are {} rows x {} labels but the truth is {} rows x {} labels",
                          name, rows, labels, truth.rows(), truth.labels()),
              {}, "give both for the same rows and the same labels, in the same order");
}

}  // namespace

void check_shape(std::string_view name, const LabelMatrix& given, const LabelMatrix& truth) {
  check_shape(name, given.rows(), given.labels(), truth);
}

template <class T>
void check_numbers(const BasicMatrix<T>& scores) {
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    const auto bad = std::ranges::find_if(row, [](T score) { return std::isnan(score); });
    if (bad == row.end()) continue;
    throw Error(Failure::Data,
                fmt::format("the score of row {}, label {} is not a number (both count from 1)",
                            i + 1, bad - row.begin() + 1),
                {}, "find out why the scores hold NaN; infinite scores are fine");
  }
}

void check_scores(const CandidateScores& scores, const LabelMatrix& truth) {
  check_shape("scores", scores.rows(), scores.labels(), truth);
}

template <class T>
void check_scores(const BasicMatrix<T>& scores, const LabelMatrix& truth) {
  check_shape("scores", scores.rows(), scores.cols(), truth);
  check_numbers(scores);
}

template void check_numbers(const BasicMatrix<float>&);
template void check_numbers(const BasicMatrix<double>&);
template void check_scores(const BasicMatrix<float>&, const LabelMatrix&);
template void check_scores(const BasicMatrix<double>&, const LabelMatrix&);

namespace {

constexpr std::size_t kMostTwice = std::size_t{1} << 22;  // more cells are sorted in place

// An integer key that falls as the score rises.
template <class T>
auto descending_key(T score) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  static_assert(sizeof(T) == sizeof(Bits));
  constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
  const Bits bits = std::bit_cast<Bits>(score);
  return (bits & kSign) != 0 ? bits : static_cast<Bits>(~bits & ~kSign);
}

constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

template <class T>
std::size_t digit(const ScoredCell<T>& cell, unsigned shift) {
  return (descending_key(cell.score) >> shift) % kDigits;
}

// Where the cells of each digit begin, followed by the end.
using Places = std::array<std::size_t, kDigits + 1>;
template <class T>
Places places_of(std::span<const ScoredCell<T>> cells, unsigned shift) {
  Places places{};
  for (const ScoredCell<T>& cell : cells) ++places[digit(cell, shift) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  return places;
}

// Sorts by the lower `bits` of the keys, lowest digit first, using a second copy of the cells.
template <class T>
void sort_beside(std::span<ScoredCell<T>> cells, unsigned bits) {
  std::vector<ScoredCell<T>> other(cells.size());
  std::span<ScoredCell<T>> from = cells, to = other;
  for (unsigned shift = 0; shift < bits; shift += kDigitBits) {
    Places places = places_of<T>(from, shift);
    for (const ScoredCell<T>& cell : from) to[places[digit(cell, shift)]++] = cell;
    std::swap(from, to);
  }
  if (from.data() != cells.data()) std::ranges::copy(from, cells.begin());
}

// A radix sort, several times faster than comparisons on the millions of cells there may be. Very
// many cells are first swapped in place until those with the same highest digit lie together; then
// each such group is sorted by its lower digits. Zeros of both signs end up side by side.
template <class T>
void sort_descending(std::span<ScoredCell<T>> cells, unsigned bits = 8 * sizeof(T)) {
  if (bits == 0) return;
  if (cells.size() <= kMostTwice) return sort_beside(cells, bits);
  const unsigned shift = bits - std::min(bits, kDigitBits);
  const Places places = places_of<T>(cells, shift);
  Places next = places;
  for (std::size_t here = 0; here < kDigits; ++here)
    while (next[here] != places[here + 1]) {
      const std::size_t there = digit(cells[next[here]], shift);
      std::swap(cells[next[here]], cells[next[there]]);
      ++next[there];
    }
  for (std::size_t d = 0; d < kDigits; ++d)
    sort_descending(cells.subspan(places[d], places[d + 1] - places[d]), shift);
}

// Calls visit(positives, negatives) for each group of equal scores, highest first.
template <class T, class Visit>
void for_each_threshold(std::vector<ScoredCell<T>>& cells, Visit&& visit) {
  sort_descending(std::span(cells));
  for (std::size_t i = 0; i < cells.size();) {
    const T score = cells[i].score;
    std::uint64_t positives = 0, size = 0;
    for (; i < cells.size() && cells[i].score == score; ++i) positives += cells[i].positive, ++size;
    visit(positives, size - positives);
  }
}

}  // namespace

template <class T>
std::optional<double> area_under_roc(std::vector<ScoredCell<T>>& cells) {
  // Counting half pairs in integers keeps the sum exact.
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
std::optional<double> step_average_precision(std::vector<ScoredCell<T>>& cells) {
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

template std::optional<double> area_under_roc(std::vector<ScoredCell<float>>&);
template std::optional<double> area_under_roc(std::vector<ScoredCell<double>>&);
template std::optional<double> step_average_precision(std::vector<ScoredCell<float>>&);
template std::optional<double> step_average_precision(std::vector<ScoredCell<double>>&);

namespace {

double quotient(std::size_t part, std::size_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : share_of(part, whole);
}

}  // namespace

double LabelMeasures::precision() const {
  return quotient(right, decided);
}

double LabelMeasures::recall() const {
  return quotient(right, truth);
}

double LabelMeasures::f1() const {
  return quotient(2 * right, truth + decided);
}

std::vector<LabelMeasures> count_labels(const LabelMatrix& truth, const LabelMatrix* decisions) {
  std::vector<LabelMeasures> counts(truth.labels());
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    truth.for_each(i, [&](std::size_t k) { ++counts[k].truth; });
    if (decisions == nullptr) continue;
    decisions->for_each(i, [&](std::size_t k) {
      ++counts[k].decided;
      counts[k].right += truth.get(i, k);
    });
  }
  return counts;
}

}  // namespace sieve
