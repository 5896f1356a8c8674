#include "report/experiment_figures.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/format_text.h"
#include "report/comparison_document.h"

namespace sieve {
namespace {

const char* better_text(const MetricInfo& metric) {
  return metric.better == Direction::HigherIsBetter ? "higher is better" : "lower is better";
}

constexpr std::size_t kMostWithBars = 6;  // methods; the error bars of more hide each other

// The means of a method on one data set, by rising number of candidates.
Series noise_series(const Comparison& all, const MeasureTable& table, const std::string& data_set,
                    std::size_t method) {
  Series series{.name = all.methods[method], .colour = method, .x = {}, .y = {}};
  std::vector<std::pair<double, const MeanCell*>> points;
  for (std::size_t v = 0; v < all.variants.size(); ++v)
    if (all.variants[v].data_set == data_set)
      points.emplace_back(all.variants[v].candidates, &table.cells[v][method]);
  std::ranges::sort(points);
  for (const auto& [candidates, cell] : points) {
    series.x.push_back(candidates);
    series.y.push_back(cell->mean);
    if (all.methods.size() <= kMostWithBars) series.spread.push_back(cell->std);
    series.notes.push_back(std::isnan(cell->std) ? "" : fmt::format(" ± {:.4f}", cell->std));
  }
  return series;
}

double mean_rank(const MeasureTable& table, std::size_t method) {
  double sum = 0, cells = 0;
  for (const auto& row : table.cells)
    if (!std::isnan(row[method].rank)) sum += row[method].rank, ++cells;
  return sum / cells;  // NaN for a method that was never ranked
}

// The mean over the variants that are compared.
double mean_seconds(const Comparison& all, const std::vector<Result>& results,
                    const std::string& method) {
  double sum = 0, count = 0;
  for (const Result& result : results) {
    const bool compared = std::ranges::any_of(all.variants, [&](const Variant& variant) {
      return variant.data_set == result.task.data_set && variant.noise == result.task.noise;
    });
    if (compared && result.done() && result.task.method == method)
      sum += result.fit_seconds, ++count;
  }
  return sum / count;
}

}  // namespace

std::vector<RankDiagram> rank_diagrams(const Comparison& all) {
  std::vector<RankDiagram> diagrams;
  for (const MeasureTable& table : all.tables) {
    if (!table.ranking || table.ranking->friedman.data_sets < kLeastVariants) continue;
    const Ranking& ranking = *table.ranking;
    RankDiagram diagram{
        .title = table.metric.title,
        .note = fmt::format("mean ranks over {} variants; Friedman p {}",
                            ranking.friedman.data_sets, probability_text(ranking.friedman.p_value)),
        .names = {},
        .mean_ranks = ranking.friedman.mean_ranks,
        .critical_difference = ranking.critical_difference,
        .groups = {}};
    for (const std::size_t method : ranking.methods) diagram.names.push_back(all.methods[method]);
    for (const auto& group : ranking.groups) {
      diagram.groups.emplace_back();
      for (const std::size_t method : group)
        diagram.groups.back().push_back(static_cast<std::size_t>(
            std::ranges::find(ranking.methods, method) - ranking.methods.begin()));
    }
    diagrams.push_back(std::move(diagram));
  }
  return diagrams;
}

std::vector<std::string> noisy_sets(const Comparison& all) {
  std::vector<std::string> sets;
  for (const Variant& variant : all.variants) {
    if (std::ranges::find(sets, variant.data_set) != sets.end()) continue;
    std::set<double> candidates;
    for (const Variant& other : all.variants)
      if (other.data_set == variant.data_set && !std::isnan(other.candidates))
        candidates.insert(other.candidates);
    if (candidates.size() > 1) sets.push_back(variant.data_set);
  }
  return sets;
}

std::vector<LinePlot> noise_curves(const Comparison& all, const std::string& data_set) {
  std::vector<LinePlot> plots;
  for (const MeasureTable& table : all.tables) {
    LinePlot plot{.title = table.metric.title,
                  .note = better_text(table.metric),
                  .x_title = "candidates per row",
                  .series = {},
                  .points = true};
    for (std::size_t m = 0; m < all.methods.size(); ++m)
      plot.series.push_back(noise_series(all, table, data_set, m));
    plots.push_back(std::move(plot));
  }
  return plots;
}

std::vector<BoxPlot> repeat_boxes(const Comparison& all, std::size_t variant) {
  std::vector<BoxPlot> plots;
  for (const MeasureTable& table : all.tables) {
    BoxPlot plot{.title = table.metric.title,
                 .note = better_text(table.metric),
                 .x_title = table.metric.title,
                 .rows = {}};
    std::size_t most = 0;
    for (std::size_t m = 0; m < all.methods.size(); ++m) {
      plot.rows.push_back({all.methods[m], m, table.cells[variant][m].values});
      most = std::max(most, plot.rows.back().values.size());
    }
    if (most > 1) plots.push_back(std::move(plot));
  }
  return plots;
}

std::vector<ScatterPlot> time_plots(const Comparison& all, const std::vector<Result>& results) {
  std::vector<ScatterPlot> plots;
  for (const MeasureTable& table : all.tables) {
    ScatterPlot plot{.title = table.metric.title,
                     .note = "mean rank, the best at the top",
                     .x_title = "seconds",
                     .y_title = "mean rank",
                     .points = {},
                     .log_x = true,
                     .small_is_up = true};
    for (std::size_t m = 0; m < all.methods.size(); ++m)
      if (!all.oracle[m])
        plot.points.push_back(
            {all.methods[m], mean_seconds(all, results, all.methods[m]), mean_rank(table, m), m});
    plots.push_back(std::move(plot));
  }
  return plots;
}

}  // namespace sieve
