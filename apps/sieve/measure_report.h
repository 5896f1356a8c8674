#pragma once

#include <string>
#include <vector>

#include "json.h"
#include "labelsieve/metrics.h"

namespace sieve {

// Measures as a table and as JSON, in the order given.
struct MeasureReport {
  std::string text;
  Json json;
};
MeasureReport report_measures(const std::vector<NamedMeasure>& measures);

}  // namespace sieve
