#pragma once

#include <cstddef>
#include <vector>

#include "labelsieve/model_io.h"
#include "report/charts.h"

namespace sieve {

// Cells of about the same probability: how sure a model was on average, and how often it was right.
struct CalibrationBin {
  std::size_t cells = 0;
  double claimed = 0, right = 0;
};

// Collects cells in ten bins of equal width.
class Calibration {
 public:
  Calibration() : bins_(10) {}
  // A probability outside [0, 1] counts as the nearest end; NaN is left out.
  void add(double probability, bool right);
  std::vector<CalibrationBin> bins() const;  // those with cells
  // Mean distance between claimed and right, weighted by cells; NaN without any.
  double error() const;

 private:
  std::vector<CalibrationBin> bins_;  // sums
};

// Claimed against right; on the diagonal a model knows how much it knows.
LinePlot calibration_plot(const Calibration& calibration, std::string title);

// One plot for each thing the epochs report; what belongs together shares one.
std::vector<LinePlot> learning_curves(const EpochHistory& history);

}  // namespace sieve
