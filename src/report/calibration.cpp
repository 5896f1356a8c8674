#include "report/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace sieve {

void Calibration::add(double probability, bool right) {
  if (std::isnan(probability)) return;
  const double inside = std::clamp(probability, 0.0, 1.0);
  const double count = static_cast<double>(bins_.size());
  CalibrationBin& bin = bins_[static_cast<std::size_t>(std::min(inside * count, count - 1))];
  ++bin.cells;
  bin.claimed += inside;
  bin.right += right;
}

std::vector<CalibrationBin> Calibration::bins() const {
  std::vector<CalibrationBin> means;
  for (const CalibrationBin& bin : bins_)
    if (bin.cells != 0) {
      const auto cells = static_cast<double>(bin.cells);
      means.push_back({bin.cells, bin.claimed / cells, bin.right / cells});
    }
  return means;
}

double Calibration::error() const {
  double distance = 0, cells = 0;
  for (const CalibrationBin& bin : bins()) {
    distance += static_cast<double>(bin.cells) * std::abs(bin.claimed - bin.right);
    cells += static_cast<double>(bin.cells);
  }
  return cells == 0 ? std::numeric_limits<double>::quiet_NaN() : distance / cells;
}

LinePlot calibration_plot(const Calibration& calibration, std::string title) {
  Series series{.name = "", .colour = 0, .x = {}, .y = {}};
  for (const CalibrationBin& bin : calibration.bins()) {
    series.x.push_back(bin.claimed);
    series.y.push_back(bin.right);
    series.notes.push_back(fmt::format(" right, of {} cells", bin.cells));
  }
  return {.title = std::move(title),
          .note = fmt::format("share that is right; calibration error {}",
                              value_text(calibration.error())),
          .x_title = "claimed",
          .series = {std::move(series)},
          .points = true,
          .unit_square = true};
}

}  // namespace sieve
