#include "crowd/label_sets.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/hashes.h"
#include "base/random.h"
#include "labelsieve/crowd.h"

namespace sieve {
namespace {

struct SetHash {
  const Votes* votes;
  std::size_t operator()(std::size_t annotation) const {
    Fnv hash;
    for (const std::uint32_t label : votes->ticked(annotation)) hash.add(label);
    return hash.value();
  }
};

struct SameSet {
  const Votes* votes;
  bool operator()(std::size_t a, std::size_t b) const {
    return std::ranges::equal(votes->ticked(a), votes->ticked(b));
  }
};

// Sets of annotations drawn at random, each with the share of all annotations it stands for.
struct References {
  std::vector<std::uint32_t> sets;
  std::vector<double> shares;
};

References all_sets(std::span<const double> counts, double total) {
  References all{std::vector<std::uint32_t>(counts.size()), {}};
  std::iota(all.sets.begin(), all.sets.end(), std::uint32_t{0});
  for (const double count : counts) all.shares.push_back(count / total);
  return all;
}

References drawn_sets(std::span<const double> counts, double total, std::size_t how_many,
                      std::uint64_t seed) {
  std::vector<double> up_to(counts.size());
  std::partial_sum(counts.begin(), counts.end(), up_to.begin());
  Random random(seed, Purpose::Bootstrap, 0, 1);  // row 0 is for resamples
  References drawn;
  for (std::size_t k = 0; k < how_many; ++k) {
    const auto found = std::ranges::upper_bound(up_to, random.uniform() * total);
    const auto place = std::min<std::ptrdiff_t>(found - up_to.begin(),
                                                static_cast<std::ptrdiff_t>(up_to.size()) - 1);
    drawn.sets.push_back(static_cast<std::uint32_t>(place));
    drawn.shares.push_back(1 / static_cast<double>(how_many));
  }
  return drawn;
}

}  // namespace

double masi_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.empty() && b.empty()) return 0;
  std::size_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    shared += a[i] == b[j];
    const bool next_a = a[i] <= b[j], next_b = b[j] <= a[i];
    i += next_a, j += next_b;
  }
  if (shared == 0) return 1;
  if (shared == a.size() && shared == b.size()) return 0;
  const double monotony = shared == std::min(a.size(), b.size()) ? 2.0 / 3 : 1.0 / 3;
  return 1 -
         monotony * static_cast<double>(shared) / static_cast<double>(a.size() + b.size() - shared);
}

LabelSets::LabelSets(const Votes& votes) : votes_(&votes), set_(votes.annotations()) {
  std::unordered_map<std::size_t, std::uint32_t, SetHash, SameSet> known(64, SetHash{&votes},
                                                                         SameSet{&votes});
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation) {
    const auto [found, is_new] = known.emplace(annotation, static_cast<std::uint32_t>(size()));
    if (is_new) example_.push_back(annotation);
    set_[annotation] = found->second;
  }
}

ExpectedDistance::ExpectedDistance(const LabelSets& sets, std::span<const double> counts,
                                   std::uint64_t seed, ThreadPool& pool, std::size_t exact,
                                   std::size_t references)
    : to_mean_(sets.size()) {
  const std::size_t size = sets.size();
  if (size <= exact) {
    distance_.resize(size * size);
    pool.for_each(size, [&](std::size_t a) {
      for (std::size_t b = 0; b < size; ++b)
        distance_[a * size + b] = masi_distance(sets.labels(a), sets.labels(b));
    });
    return;
  }
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const References others =
      size <= references ? all_sets(counts, total) : drawn_sets(counts, total, references, seed);
  pool.for_blocks(size, 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t a = first; a < last; ++a)
      for (std::size_t k = 0; k < others.sets.size(); ++k)
        to_mean_[a] +=
            others.shares[k] * masi_distance(sets.labels(a), sets.labels(others.sets[k]));
  });
  at_mean_ = mean(counts) / total;
}

double ExpectedDistance::mean(std::span<const double> counts) const {
  return std::inner_product(counts.begin(), counts.end(), to_mean_.begin(), 0.0);
}

double ExpectedDistance::of(std::span<const double> counts, double total) const {
  if (distance_.empty())
    return std::max(0.0, 2 * mean(counts) / total - at_mean_) * total / (total - 1);
  double sum = 0;
  for (std::size_t a = 0; a < counts.size(); ++a) {
    if (counts[a] == 0) continue;
    const double* row = distance_.data() + a * counts.size();
    sum += counts[a] * std::inner_product(counts.begin(), counts.end(), row, 0.0);
  }
  return sum / (total * (total - 1));
}

}  // namespace sieve
