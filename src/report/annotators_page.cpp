#include "report/annotators_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/format_text.h"
#include "labelsieve/dataset.h"
#include "report/html_page.h"
#include "report/pages.h"
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

namespace {

HtmlTable worst_table(const Dataset& data, const AnnotatorDetails& details) {
  const bool ids = !data.ids.empty();
  HtmlTable table{
      "Ticks least likely right", {{ids ? "Id" : "Row"}, {"Label"}, {"Probability", true}}, {}};
  for (const CellProbability& tick : details.worst)
    table.rows.push_back({text_cell(ids ? data.ids[tick.row] : std::to_string(tick.row)),
                          text_cell(data.label_names[tick.label]),
                          probability_cell(double{tick.probability})});
  return table;
}

HtmlTable confusion_table(const Dataset& data, const AnnotatorDetails& details) {
  HtmlTable table{"Labels they confuse",
                  {{"Ticks"},
                   {"Instead of"},
                   {"Times", true, "expected number of rows: a guess of which no range is known"}},
                  {}};
  for (const Confusion& pair : details.confused)
    table.rows.push_back({text_cell(data.label_names[pair.ticked]),
                          text_cell(data.label_names[pair.right]), number_cell(pair.times, 1)});
  return table;
}

std::string counts_of(const Dataset& data) {
  return fmt::format(
      "{}, {}, {}, {}, {}.", count_text(data.votes->annotators().size(), "annotator"),
      count_text(data.rows(), "row"), count_text(data.labels(), "label"),
      count_text(data.votes->annotations(), "annotation"), count_text(data.votes->ticks(), "tick"));
}

}  // namespace

std::string uncompared_annotators_page(const Dataset& data, const std::string& why) {
  HtmlPage page("Annotators", "Who annotated what",
                "There are no rates of annotators: " + why + ". " + counts_of(data));
  page.begin_section("At a glance");
  HtmlTable table{"Annotators", {{"Annotator"}, {"Rows", true}, {"Ticks", true}}, {}};
  for (const AnnotatorSummary& annotator : summarise(*data.votes).annotators)
    table.rows.push_back({text_cell(annotator.name), count_cell(annotator.annotations),
                          count_cell(annotator.ticks)});
  page.add(draw(table));
  return page.text();
}

std::string annotators_page(const Dataset& data, const CrowdFindings& found,
                            std::span<const TickedWrong> ticked,
                            std::span<const AnnotatorDetails> details) {
  const Votes& votes = *data.votes;
  HtmlPage page("Annotators", "Whom to trust",
                counts_of(data) + " Learnt from rows that several annotators share.");
  page.add_headlines(headline_about_annotators(votes, ticked, found.truth));
  page.begin_section("At a glance");
  page.add(draw(annotators_table(votes, found, ticked)));
  page.add_figures({draw(annotators_plot(votes, found, ticked)), draw(held_out_plot(found.check))});
  if (details.empty()) return page.text();
  page.begin_section("One by one", "Feedback per annotator, most wrong ticks first.");
  const std::vector<std::size_t> order = most_wrong_first(ticked);
  for (std::size_t k = 0; k < details.size(); ++k)
    page.add_details(fmt::format("{}, {}", votes.annotators()[order[k]],
                                 count_text(found.annotators[order[k]].annotations, "row")),
                     {figure_grid({draw(worst_table(data, details[k])),
                                   draw(confusion_table(data, details[k]))})});
  return page.text();
}

}  // namespace sieve
