#include <algorithm>
#include <unordered_map>

#include "labelsieve/observation.h"

namespace sieve {
namespace {

// Chance alone would keep two labels apart that often in one of 20,000 pairs.
constexpr double kLeastExpected = 10;

std::uint64_t key_of(std::uint64_t a, std::uint64_t b) {
  return (a << 32) | b;
}

}  // namespace

std::vector<ExclusivePair> exclusive_labels(const Votes& votes, std::size_t labels) {
  std::vector<double> ticks(labels);
  std::unordered_map<std::uint64_t, std::size_t> together;
  for (std::size_t look = 0; look < votes.looks(); ++look) {
    const auto ticked = votes.ticked(look);
    for (std::size_t i = 0; i < ticked.size(); ++i) {
      ticks[ticked[i]] += 1;
      for (std::size_t j = i + 1; j < ticked.size(); ++j) ++together[key_of(ticked[i], ticked[j])];
    }
  }
  // Where nobody ever ticks two labels, the question allowed one answer alone.
  if (together.empty()) return {};
  const double looks = std::max<double>(1, static_cast<double>(votes.looks()));
  std::vector<ExclusivePair> out;
  for (std::size_t a = 0; a < labels; ++a) {
    if (ticks[a] < kLeastExpected) continue;
    for (std::size_t b = a + 1; b < labels; ++b) {
      const double expected = ticks[a] * ticks[b] / looks;
      if (expected >= kLeastExpected && !together.contains(key_of(a, b)))
        out.push_back({a, b, expected});
    }
  }
  return out;
}

std::size_t keep_apart(std::span<const ExclusivePair> pairs, const CandidateScores& probability,
                       LabelMatrix& labels) {
  std::size_t removed = 0;
  for (std::size_t row = 0; row < labels.rows() && !pairs.empty(); ++row)
    for (const ExclusivePair& pair : pairs) {
      if (!labels.get(row, pair.a) || !labels.get(row, pair.b)) continue;
      labels.set(row, probability(row, pair.a) < probability(row, pair.b) ? pair.a : pair.b, false);
      ++removed;
    }
  return removed;
}

}  // namespace sieve
