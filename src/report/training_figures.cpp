#include "report/training_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

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

namespace {

struct Curve {
  std::string key, name;
};
struct Panel {
  std::string title, note;
  std::vector<Curve> curves;
};

// What the methods of this library report, in reading order.
const std::vector<Panel>& known_panels() {
  static const std::vector<Panel> panels = {
      {"Training loss", "per row", {{"L_c", ""}}},
      {"Held-out loss", "per row; decides when training stops", {{"held_out", ""}}},
      {"Candidates kept and doubted",
       "mean over the candidates",
       {{"mean_z", "right"}, {"mean_delta", "noise"}}},
      {"Disambiguator loss", "loss", {{"L_d", ""}}},
      {"Generator: reconstruction loss", "loss", {{"L_g", ""}}},
      {"Generator: adversarial loss", "loss", {{"L_adv", ""}}},
      {"Discriminator accuracy",
       "share of rows classified correctly",
       {{"discriminator_accuracy", ""}}},
      {"Networks still training", "number", {{"members", ""}}}};
  return panels;
}

bool is_known(const std::string& key) {
  return std::ranges::any_of(known_panels(), [&](const Panel& panel) {
    return std::ranges::find(panel.curves, key, &Curve::key) != panel.curves.end();
  });
}

LinePlot plot_of(const Panel& panel, const EpochHistory& history) {
  LinePlot plot{.title = panel.title, .note = panel.note, .x_title = "epoch", .series = {}};
  std::vector<double> epochs(history.epochs);
  std::iota(epochs.begin(), epochs.end(), 1.0);
  for (const Curve& curve : panel.curves)
    if (const EpochHistory::Column* column = history.find(curve.key))
      plot.series.push_back({curve.name, plot.series.size(), epochs, column->values});
  return plot;
}

}  // namespace

std::vector<LinePlot> learning_curves(const EpochHistory& history) {
  std::vector<Panel> panels = known_panels();
  for (const EpochHistory::Column& column : history.columns)
    if (column.name != "epoch" && column.name != "seconds" && !is_known(column.name))
      panels.push_back({column.name, "", {{column.name, ""}}});
  std::vector<LinePlot> plots;
  for (const Panel& panel : panels)
    if (LinePlot plot = plot_of(panel, history); !plot.series.empty())
      plots.push_back(std::move(plot));
  return plots;
}

}  // namespace sieve
