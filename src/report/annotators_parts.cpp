#include "report/annotators_parts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"
#include "report/rendered.h"

namespace sieve {
namespace {

constexpr std::size_t kPlotted = 60;  // annotators; more hide each other

}  // namespace

HtmlCell claim_cell(const Claim& claim) {
  HtmlCell cell = percent_cell(claim.value);
  cell.text = claim_text(claim);
  cell.range = {claim.low, claim.high, claim.basis == ClaimBasis::Audit};
  return cell;
}

HtmlTable annotators_table(const Votes& votes, const CrowdFindings& crowd,
                           std::span<const TickedWrong> ticked) {
  HtmlTable table{"Annotators, most wrong ticks first",
                  {{"Annotator"},
                   {"Wrong ticks", true,
                    "share of their ticks, with the range of a guess; the bar is their number"},
                   {"Ticks", true},
                   {"Rows", true, "that they annotated"},
                   {"Recall", true,
                    "share of the right labels that they tick, with the range of a guess", true},
                   {"False positives", true,
                    "share of the other labels that they tick, with the range of a guess", true},
                   {"Agrees", true, "share of their votes that side with the others"},
                   {"Remark"}},
                  {}};
  const std::vector<std::size_t> order = most_wrong_first(ticked);
  const double most = order.empty() ? 0 : std::max(ticked[order.front()].wrong, 1e-9);
  for (const std::size_t p : order) {
    const AnnotatorQuality& one = crowd.annotators[p];
    const AnnotatorClaims claims = annotator_claims(one, crowd.truth);
    const auto known = [&](HtmlCell cell) {
      return one.compared ? std::move(cell) : text_cell("-");
    };
    const std::optional<Claim> claim = claim_of(ticked[p], crowd.truth);
    HtmlCell wrong = text_cell(claim ? claim_text(*claim) : "-");
    wrong.value = ticked[p].wrong;
    wrong.bar = ticked[p].wrong / most;
    table.rows.push_back({text_cell(votes.annotators()[p]), std::move(wrong),
                          count_cell(ticked[p].ticks), count_cell(one.annotations),
                          known(claim_cell(claims.recall)),
                          known(claim_cell(claims.false_positive_rate)),
                          known(percent_cell(one.agreement)), text_cell(remark_on(one))});
  }
  return table;
}

ScatterPlot annotators_plot(const Votes& votes, const CrowdFindings& crowd,
                            std::span<const TickedWrong> ticked) {
  ScatterPlot plot{.title = "What annotators find, and what they tick wrongly",
                   .note = "found upwards; the top left is best; ranges of guesses",
                   .x_title = "share of the wrong labels they tick",
                   .y_title = "share of the right labels they find",
                   .points = {}};
  std::vector<std::size_t> order = most_wrong_first(ticked);
  std::erase_if(order, [&](std::size_t p) { return !crowd.annotators[p].compared; });
  if (order.size() > kPlotted) {
    order.resize(kPlotted);
    plot.note += fmt::format("; the {} with most wrong ticks", kPlotted);
  }
  for (const std::size_t p : order) {
    const AnnotatorQuality& one = crowd.annotators[p];
    const auto [recall, wrong] = annotator_claims(one, crowd.truth);
    plot.points.push_back({votes.annotators()[p], one.false_positive_rate.value,
                           one.sensitivity.value, one.guesses ? std::size_t{1} : std::size_t{0},
                           Range{wrong.low, wrong.high}, Range{recall.low, recall.high}});
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
  return {.title = "Do annotators tick as predicted from the others?",
          .note = fmt::format("one left out at a time; off by {} on average; mistakes that they "
                              "share do not show",
                              percent_text(check.error)),
          .x_title = "predicted share of ticks",
          .series = {std::move(series)},
          .points = true,
          .unit_square = true};
}

}  // namespace sieve
