#pragma once

#include <span>
#include <vector>

#include "labelsieve/pipeline.h"

namespace sieve {

// The probability from which clean() keeps candidates.
double cleaning_threshold(const Judged& judged, const CleanRequest& request);

// Pairs of labels that clean() keeps apart.
std::vector<ExclusivePair> pairs_to_keep_apart(const Judged& judged, const CleanRequest& request);

// What clean() removes; where the threshold is the default one, with due doubt about features.
struct Removal {
  CleanedLabels labels;
  double threshold = 0.5;
  std::size_t kept_apart = 0;
};
Removal removal(const Judged& judged, std::span<const ExclusivePair> exclusive,
                const CleanRequest& request);

}  // namespace sieve
