#include "report/learning_curves.h"

#include <algorithm>
#include <numeric>

namespace sieve {
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
