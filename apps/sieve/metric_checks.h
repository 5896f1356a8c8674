#pragma once

#include <string>
#include <vector>

#include "labelsieve/metrics.h"
#include "options.h"

namespace sieve {

// A measure that must not be below, or above, a value.
struct Bound {
  std::string metric;
  double value = 0;
  bool lower = false;  // the measure must not be below the value
};

// Error(Usage) with the nearest name if no measure has this key.
void require_metric(const std::string& key);

// What --fail-below and --fail-above ask for, e.g. "micro-f1=0.5,macro-auc=0.7".
std::vector<Bound> bounds_of(const Arguments& arguments);

// One sentence for each bound that does not hold. Error(Usage) if its measure was not taken.
std::vector<std::string> failed_checks(const std::vector<NamedMeasure>& measures,
                                       const std::vector<Bound>& bounds);

}  // namespace sieve
