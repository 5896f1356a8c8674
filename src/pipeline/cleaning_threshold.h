#pragma once

#include "labelsieve/pipeline.h"

namespace sieve {

// The probability from which clean() keeps candidates.
double cleaning_threshold(const Judged& judged, const CleanRequest& request);

// What is left above it; where the threshold is the default one, with due doubt about features.
CleanedLabels remove_suspects(const Judged& judged, const CleanRequest& request);

}  // namespace sieve
