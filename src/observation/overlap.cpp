#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "labelsieve/observation.h"

namespace sieve {
namespace {

// A pair of annotations on nearly every row, or three on a third of them. Simulated crowds of seven
// kinds (docs/crowd.md): with less, names often made cleaned labels worse than leaving them out
// did.
constexpr double kLeastPairs = 0.95;
// So that a few rows with many annotations do not stand for all others.
constexpr std::size_t kMostPairsOfRow = 5;
// With fewer annotators, two annotations of a row leave open who of them is right.
constexpr std::size_t kEnoughAnnotators = 4;

}  // namespace

Overlap overlap_of(const Votes& votes) {
  Overlap overlap;
  std::vector<bool> seen(votes.people().size());
  for (std::size_t look = 0; look < votes.looks(); ++look) seen[votes.person(look)] = true;
  overlap.annotators = static_cast<std::size_t>(std::ranges::count(seen, true));
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    const std::size_t looks = votes.looks(row);
    if (looks == 0) continue;
    ++overlap.rows;
    overlap.single += looks == 1;
    if (looks > 2 || (looks == 2 && overlap.pairs_count()))
      overlap.pairs += std::min(looks * (looks - 1) / 2, kMostPairsOfRow);
  }
  return overlap;
}

bool Overlap::pairs_count() const {
  return annotators >= kEnoughAnnotators;
}

std::size_t Overlap::pairs_missing() const {
  const auto least = static_cast<std::size_t>(std::ceil(kLeastPairs * static_cast<double>(rows)));
  return std::max(least, std::size_t{1}) - std::min(pairs, std::max(least, std::size_t{1}));
}

std::string why_names_are_ignored(const Votes& votes) {
  const Overlap overlap = overlap_of(votes);
  if (overlap.identifies_annotators()) return {};
  std::size_t below_three = 0;
  for (std::size_t row = 0; row < votes.rows(); ++row)
    below_three += votes.looks(row) == 1 || votes.looks(row) == 2;
  const bool mostly_single = 2 * overlap.single >= overlap.rows;
  return fmt::format("{} of {} rows have {}: annotators cannot be compared",
                     mostly_single ? overlap.single : below_three, overlap.rows,
                     mostly_single ? "one annotation" : "fewer than three annotations");
}

}  // namespace sieve
