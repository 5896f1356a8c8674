// A page about a finished review.
#include <map>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/review.h"
#include "report/charts.h"
#include "report/html_page.h"

namespace sieve {
namespace {

struct LabelTally {
  std::size_t decided = 0, kept = 0, removed = 0, added = 0;
};

std::map<std::size_t, LabelTally> by_label(const Reviewed& reviewed, const Dataset& data) {
  std::map<std::size_t, LabelTally> labels;
  for (const ReviewedCell& cell : reviewed.cells) {
    LabelTally& tally = labels[cell.label];
    const bool was_on = data.candidates.get(cell.row, cell.label);
    ++tally.decided;
    tally.kept += was_on && cell.on;
    tally.removed += was_on && !cell.on;
    tally.added += !was_on && cell.on;
  }
  return labels;
}

void add_error_left(HtmlPage& page, const Reviewed& reviewed) {
  if (reviewed.past.empty()) return;
  page.begin_section(
      "Error left",
      "The share of current labels that is wrong, as guessed during the review, with the range of "
      "the guess.");
  LinePlot plot{.title = "Labels still wrong",
                .note = "share of the current labels",
                .x_title = "decisions",
                .series = {{"estimate", 0, {}, {}}, {"low", 6, {}, {}}, {"high", 6, {}, {}}}};
  for (const auto& [decisions, share] : reviewed.past)
    for (std::size_t k = 0; k < 3; ++k) {
      plot.series[k].x.push_back(static_cast<double>(decisions));
      plot.series[k].y.push_back(k == 0 ? share.value : k == 1 ? share.low : share.high);
    }
  page.add_figures({draw(plot)});
}

}  // namespace

std::string review_report(const Reviewed& reviewed, const Dataset& data) {
  HtmlPage page("review", data.name, "What reviewers decided about labels that may be wrong.");
  const auto labels_decided = by_label(reviewed, data);
  std::size_t changed = 0;
  for (const auto& [label, tally] : labels_decided) changed += tally.removed + tally.added;
  std::vector<Headline> answers;
  if (reviewed.wrong)
    answers.push_back({wrong_sentence(*reviewed.wrong), claim_text(*reviewed.wrong)});
  answers.push_back(
      {fmt::format("The review changed {}.", count_text(changed, "label")),
       fmt::format("{} on {}, {} of them by a rule alone", count_text(reviewed.looks, "decision"),
                   count_text(reviewed.cells.size(), "label"), reviewed.by_rule)});
  if (reviewed.pairs > 0)
    answers.push_back({fmt::format("Two reviewers of one label agree in {}.",
                                   percent_text(share_of(reviewed.same, reviewed.pairs))),
                       count_text(reviewed.pairs, "label") + " decided by two"});
  page.add_headlines(answers);

  page.begin_section("Labels", "What became of ticks, and what was added.");
  HtmlTable labels{
      "Decisions by label",
      {{"label"}, {"decided", true}, {"kept", true}, {"removed", true}, {"added", true}},
      {}};
  for (const auto& [label, tally] : labels_decided)
    labels.rows.push_back({text_cell(data.label_names[label]), count_cell(tally.decided),
                           count_cell(tally.kept), count_cell(tally.removed),
                           count_cell(tally.added)});
  page.add(draw(labels));

  page.begin_section("Reviewers");
  HtmlTable people{"Decisions by reviewer", {{"reviewer"}, {"decisions", true}}, {}};
  for (const auto& [name, looks] : reviewed.reviewers)
    people.rows.push_back({text_cell(name), count_cell(looks)});
  page.add(draw(people));
  add_error_left(page, reviewed);
  return page.text();
}

}  // namespace sieve
