#pragma once

#include <vector>

#include "labelsieve/model_io.h"
#include "report/charts.h"

namespace sieve {

// One plot for each thing the epochs report; what belongs together shares one.
std::vector<LinePlot> learning_curves(const EpochHistory& history);

}  // namespace sieve
