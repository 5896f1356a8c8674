#pragma once

#include "labelsieve/pipeline.h"

namespace sieve {

// The probability from which clean() keeps candidates.
double cleaning_threshold(const Judged& judged, const CleanRequest& request);

}  // namespace sieve
