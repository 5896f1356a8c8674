#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "base/format_text.h"
#include "experiment/comparison.h"
#include "report/charts.h"
#include "report/comparison_document.h"
#include "report/html_page.h"
#include "report/pages.h"
#include "report/rendered.h"

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

// ---- the figures: a method has the same colour in all of them

// One a measure for which the methods could be ranked.
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

// Data sets that were tried with several amounts of noise of which the candidates differ.
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

// One a measure: the mean against the candidates per row.
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

// One a measure: the repeats of every method on one variant. None with a single repeat.
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

// One a measure: mean rank against the mean time of a training.
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

// ---- the page

template <class Plots>
std::vector<Element> drawn(const Plots& plots) {
  std::vector<Element> figures;
  for (const auto& plot : plots) figures.push_back(draw(plot));
  return figures;
}

std::string name_of(const Variant& variant) {
  return variant.data_set + " " + variant.noise;
}

HtmlCell mean_cell(const MeanCell& cell) {
  HtmlCell out = number_cell(cell.mean);
  if (!cell.complete() && !cell.values.empty())
    out.text = fmt::format("{} of {} done", cell.values.size(), cell.planned);
  else if (!std::isnan(cell.std))
    out.text += fmt::format(" ± {:.3f}", cell.std);
  if (cell.paper != nullptr) out.note = fmt::format("paper {:.3f}", cell.paper->value);
  out.strong = cell.best;
  return out;
}

HtmlTable means(const Comparison& all, const MeasureTable& table) {
  const bool higher = table.metric.better == Direction::HigherIsBetter;
  HtmlTable out{table.metric.title + (higher ? ", higher is better" : ", lower is better"),
                {{"Data"}, {"Candidates", true, "per training row, on average"}},
                {}};
  for (std::size_t m = 0; m < all.methods.size(); ++m)
    out.columns.push_back({all.methods[m] + (all.oracle[m] ? " (oracle)" : ""), true});
  for (std::size_t v = 0; v < all.variants.size(); ++v) {
    std::vector<HtmlCell> row = {{.text = all.variants[v].data_set, .note = all.variants[v].noise},
                                 number_cell(all.variants[v].candidates, 2)};
    for (const MeanCell& cell : table.cells[v]) row.push_back(mean_cell(cell));
    out.rows.push_back(std::move(row));
  }
  return out;
}

void add_results(HtmlPage& page, const Comparison& all) {
  page.begin_section("Results",
                     "Mean and standard deviation over the repeats on rows that the training has "
                     "not seen. Bold: the best, or equal to it in three decimals; an oracle learns "
                     "from the truth and is out of competition. Below a figure: the PML-GAN "
                     "paper's figure. Click a title to sort.");
  for (const MeasureTable& table : all.tables) page.add(draw(means(all, table)));
}

// The tables that `sieve compare` prints after the means.
HtmlTable html_of(const DocumentTable& table) {
  HtmlTable out{table.title, {}, {}};
  for (const std::string& title : table.header) out.columns.push_back({title});
  for (const auto& cells : table.rows) {
    out.rows.emplace_back();
    for (const DocumentCell& cell : cells)
      out.rows.back().push_back({.text = cell.text, .strong = cell.strong});
  }
  return out;
}

void add_ranks(HtmlPage& page, const Comparison& all, const Document& document) {
  const auto diagrams = rank_diagrams(all);
  page.begin_section(
      "Mean ranks",
      diagrams.empty()
          ? fmt::format("There is no test of ranks: it needs two methods complete on the same {} "
                        "variants or more.",
                        kLeastVariants)
          : "Methods joined by a bar do not differ significantly: their mean ranks are closer than "
            "the "
            "critical difference (CD) of Nemenyi's test at 0.05. In parentheses: the paper's "
            "counts.");
  if (!diagrams.empty()) page.add_figures(drawn(diagrams));
  const std::size_t first = all.tables.size(), shown = can_test_duels(all) ? 3 : 1;
  for (std::size_t t = first; t < first + shown; ++t) {
    page.add(draw(html_of(document.tables[t])));
    if (!document.tables[t].note.empty()) page.add(with_text("p", document.tables[t].note, "note"));
  }
  if (all.has_duels() && shown == 1)
    page.add_paragraph(
        fmt::format("Methods are not compared by t-tests: these need {} repeats.", kLeastRepeats));
}

void add_noise(HtmlPage& page, const Comparison& all) {
  const std::vector<std::string> sets = noisy_sets(all);
  if (sets.empty()) return;
  page.begin_section("More noise",
                     "Every measure against the number of candidates per training row. Bars, where "
                     "there is room, show the standard deviation over the repeats.");
  for (const std::string& set : sets) {
    page.add(with_text("h3", set));
    page.add_figures(drawn(noise_curves(all, set)));
  }
}

void add_repeats(HtmlPage& page, const Comparison& all) {
  bool begun = false;
  for (std::size_t v = 0; v < all.variants.size(); ++v) {
    const std::vector<BoxPlot> boxes = repeat_boxes(all, v);
    if (boxes.empty()) continue;
    if (!begun)
      page.begin_section("How much repeats differ",
                         "Boxes hold the middle half of the repeats, the line is the median, "
                         "whiskers reach 1.5 boxes, dots lie beyond.");
    if (!begun) {
      page.add(with_text("h3", name_of(all.variants[v])));
      page.add_figures(drawn(boxes));
    } else {
      page.add_details(name_of(all.variants[v]), {figure_grid(drawn(boxes))});
    }
    begun = true;
  }
}

void add_failures(HtmlPage& page, const StoredResults& stored, const Document& document) {
  const bool failed =
      std::ranges::any_of(stored.results, [](const Result& r) { return !r.done(); });
  if (!failed && document.remarks.empty()) return;
  page.begin_section("Failures and remarks");
  HtmlTable table{"Tasks that failed", {{"Task"}, {"Reason"}, {"Seconds", true}}, {}};
  for (const Result& result : stored.results)
    if (!result.done())
      table.rows.push_back(
          {text_cell(result.task.key), text_cell(result.reason), number_cell(result.seconds, 1)});
  if (failed) page.add(draw(table));
  if (!document.remarks.empty()) page.add(bullet_list(document.remarks));
}

// Who is best how often, and what that was measured on.
std::vector<Headline> headlines_of(const Comparison& all) {
  std::set<std::string> sets;
  for (const Variant& variant : all.variants) sets.insert(variant.data_set);
  std::vector<std::size_t> cells(all.methods.size()), best(all.methods.size());
  for (const MeasureTable& table : all.tables)
    for (const auto& row : table.cells)
      for (std::size_t m = 0; m < row.size(); ++m) {
        cells[m] += row[m].complete() ? 1 : 0;
        best[m] += row[m].best && !all.oracle[m] ? 1 : 0;
      }
  const auto most = static_cast<std::size_t>(std::ranges::max_element(best) - best.begin());
  std::string basis = fmt::format(
      "{} on {} in {} by noise; {} of {} done, {} failed", count_text(all.tables.size(), "measure"),
      count_text(sets.size(), "data set"), count_text(all.variants.size(), "variant"), all.done,
      count_text(all.planned, "task"), all.failed == 0 ? "none" : std::to_string(all.failed));
  return {{fmt::format("{} is best or tied in {} of {} comparisons.", all.methods[most], best[most],
                       cells[most]),
           std::move(basis)}};
}

void add_times(HtmlPage& page, const Comparison& all, const StoredResults& stored) {
  page.begin_section("Time against quality",
                     "Mean time of a training, without reading and measuring. Towards the top left "
                     "is better.");
  page.add_figures(drawn(time_plots(all, stored.results)));
}

}  // namespace

std::string experiment_page(const StoredResults& stored, const Comparison& all) {
  const Document document = comparison_document(all);
  HtmlPage page(
      "Experiment report", all.plan.title,
      fmt::format("{} on {} of data, {} of {} done.", count_text(all.methods.size(), "method"),
                  count_text(all.variants.size(), "variant"), all.done,
                  count_text(all.planned, "task")));
  page.add_headlines(headlines_of(all));
  add_results(page, all);
  add_ranks(page, all, document);
  add_noise(page, all);
  add_repeats(page, all);
  add_times(page, all, stored);
  add_failures(page, stored, document);
  return page.text();
}

namespace {

Document document_of(const Comparison& comparison, const Comparison* before) {
  Document document = comparison_document(comparison);
  if (before != nullptr)
    document.tables.insert(document.tables.begin(), changes_table(*before, comparison));
  return document;
}

}  // namespace

Rendered render_comparison(const Comparison& comparison, ComparisonForm form,
                           const Comparison* before) {
  Rendered rendered{{}, comparison_json(comparison, before)};
  switch (form) {
    case ComparisonForm::Text:
      rendered.text = as_text(document_of(comparison, before));
      break;
    case ComparisonForm::Markdown:
      rendered.text = as_markdown(document_of(comparison, before));
      break;
    case ComparisonForm::Latex:
      rendered.text = as_latex(document_of(comparison, before));
      break;
    case ComparisonForm::Csv:
      rendered.text = comparison_csv(comparison);
      break;
    case ComparisonForm::Json:
      rendered.text = rendered.json.text() + "\n";
      break;
  }
  return rendered;
}

}  // namespace sieve
