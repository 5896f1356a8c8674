#include "report/annotators_parts.h"

#include <fmt/format.h>

#include "base/format_text.h"
#include "report/rendered.h"

namespace sieve {
namespace {

constexpr std::size_t kPlotted = 60;  // annotators; more hide each other

HtmlCell rate_cell(const Estimate& rate) {
  HtmlCell cell = percent_cell(rate.value);
  cell.note = percent_range(rate.low, rate.high);
  return cell;
}

}  // namespace

HtmlTable annotators_table(const Votes& votes, std::span<const AnnotatorQuality> annotators) {
  HtmlTable table{
      "People",
      {{"Person"},
       {"Rows", true, "that they looked at"},
       {"Recall", true, "share of the right labels that they tick, with a 90 % interval"},
       {"False positives", true, "share of the other labels that they tick, with a 90 % interval"},
       {"Agrees", true, "share of their votes that side with the others"},
       {"Remark"}},
      {}};
  for (const std::size_t p : by_annotations(annotators)) {
    const AnnotatorQuality& one = annotators[p];
    const auto known = [&](HtmlCell cell) {
      return one.compared ? std::move(cell) : text_cell("-");
    };
    table.rows.push_back({text_cell(votes.annotators()[p]), count_cell(one.annotations),
                          known(rate_cell(one.sensitivity)),
                          known(rate_cell(one.false_positive_rate)),
                          known(percent_cell(one.agreement)), text_cell(remark_on(one))});
  }
  return table;
}

ScatterPlot annotators_plot(const Votes& votes, std::span<const AnnotatorQuality> annotators) {
  ScatterPlot plot{.title = "What people find, and what they tick wrongly",
                   .note = "found upwards; the top left is best; 90 % intervals",
                   .x_title = "share of the wrong labels they tick",
                   .y_title = "share of the right labels they find",
                   .points = {}};
  std::vector<std::size_t> order = by_annotations(annotators);
  std::erase_if(order, [&](std::size_t p) { return !annotators[p].compared; });
  if (order.size() > kPlotted) {
    order.resize(kPlotted);
    plot.note += fmt::format("; the {} who looked at most rows", kPlotted);
  }
  for (const std::size_t p : order) {
    const AnnotatorQuality& one = annotators[p];
    plot.points.push_back({votes.annotators()[p], one.false_positive_rate.value,
                           one.sensitivity.value, one.guesses ? std::size_t{1} : std::size_t{0},
                           Range{one.false_positive_rate.low, one.false_positive_rate.high},
                           Range{one.sensitivity.low, one.sensitivity.high}});
  }
  return plot;
}

LinePlot held_out_plot(const HeldOutCheck& check) {
  Series series{.name = "", .colour = 0, .x = {}, .y = {}};
  for (const HeldOutCheck::Class& one : check.classes) {
    if (one.votes == 0) continue;
    series.x.push_back(one.claimed);
    series.y.push_back(one.ticked);
    series.notes.push_back(fmt::format(" ticked, of {} votes", one.votes));
  }
  return {.title = "Do people tick as predicted from the others?",
          .note = fmt::format("one person left out at a time; off by {} on average",
                              percent_text(check.error)),
          .x_title = "predicted share of ticks",
          .series = {std::move(series)},
          .points = true,
          .unit_square = true};
}

}  // namespace sieve
