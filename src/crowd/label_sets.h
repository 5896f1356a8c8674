#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/threads.h"

namespace sieve {

// The label sets of all annotations, each set once, numbered as they first come. The votes have to
// stay.
class LabelSets {
 public:
  explicit LabelSets(const Votes& votes);

  std::size_t size() const { return example_.size(); }
  std::uint32_t of(std::size_t annotation) const { return set_[annotation]; }
  std::span<const std::uint32_t> labels(std::size_t set) const {
    return votes_->ticked(example_[set]);
  }

 private:
  const Votes* votes_;
  std::vector<std::uint32_t> set_;    // one per annotation
  std::vector<std::size_t> example_;  // an annotation with this set
};

// How far apart by MASI two annotations are that are drawn at random, for any number of annotations
// with each set. Up to kExact sets all pairs are known. Beyond, it is linear around the numbers it
// was made for: the mean distance of a set from those, `to_mean`, is all that is kept. That errs by
// 1 / annotations, far less than an interval is wide.
class ExpectedDistance {
 public:
  static constexpr std::size_t kExact = 512, kReferences = 4096;

  // `counts` has the annotations with each set; `seed` draws references where there are too many.
  ExpectedDistance(const LabelSets& sets, std::span<const double> counts, std::uint64_t seed,
                   ThreadPool& pool, std::size_t exact = kExact,
                   std::size_t references = kReferences);

  // Of two different annotations among `counts`, whose sum is `total`, at least 2.
  double of(std::span<const double> counts, double total) const;

 private:
  double mean(std::span<const double> counts) const;  // sum of counts * to_mean

  std::vector<double> distance_;  // sets x sets, or none
  std::vector<double> to_mean_;   // one per set
  double at_mean_ = 0;
};

}  // namespace sieve
