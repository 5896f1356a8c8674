#include "report/people_parts.h"

#include <fmt/format.h>

#include "base/format_text.h"
#include "report/told.h"

namespace sieve {
namespace {

constexpr std::size_t kPlotted = 60;  // people; more hide each other

HtmlCell rate_cell(const Estimate& rate) {
  HtmlCell cell = percent_cell(rate.value);
  cell.note = percent_range(rate.low, rate.high);
  return cell;
}

}  // namespace

HtmlTable people_table(const Votes& votes, std::span<const PersonQuality> people) {
  HtmlTable table{
      "People",
      {{"Person"},
       {"Rows", true, "that they looked at"},
       {"Finds", true, "of the right labels, with a 90 % interval"},
       {"Ticks wrongly", true, "of the labels that are not right, with a 90 % interval"},
       {"Agrees", true, "share of their votes that side with the others"},
       {"Remark"}},
      {}};
  for (const std::size_t p : by_looks(people)) {
    const PersonQuality& one = people[p];
    table.rows.push_back({text_cell(votes.people()[p]), count_cell(one.looks),
                          rate_cell(one.sensitivity), rate_cell(one.false_ticks),
                          percent_cell(one.agreement),
                          text_cell(one.guesses ? "seems to guess" : "")});
  }
  return table;
}

ScatterPlot people_plot(const Votes& votes, std::span<const PersonQuality> people) {
  ScatterPlot plot{.title = "What people find, and what they tick wrongly",
                   .note = "found upwards; the top left is best; 90 % intervals",
                   .x_title = "share of the wrong labels they tick",
                   .y_title = "share of the right labels they find",
                   .points = {}};
  std::vector<std::size_t> order = by_looks(people);
  if (order.size() > kPlotted) {
    order.resize(kPlotted);
    plot.note += fmt::format("; the {} who looked at most rows", kPlotted);
  }
  for (const std::size_t p : order) {
    const PersonQuality& one = people[p];
    plot.points.push_back({votes.people()[p], one.false_ticks.value, one.sensitivity.value,
                           one.guesses ? std::size_t{1} : std::size_t{0},
                           Range{one.false_ticks.low, one.false_ticks.high},
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
