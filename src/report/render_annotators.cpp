#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/table.h"
#include "report/rendered.h"

namespace sieve {
namespace {

Json rate_json(const Estimate& rate) {
  return Json::object({{"value", rate.value}, {"low", rate.low}, {"high", rate.high}});
}

std::string rate_text(const Estimate& rate) {
  return fmt::format("{} ({})", percent_text(rate.value), percent_range(rate.low, rate.high));
}

std::string table_text(const Votes& votes, std::span<const AnnotatorQuality> annotators,
                       std::span<const std::size_t> shown) {
  TextTable table(
      {"person", "rows", "ticks", "right labels found", "wrong labels ticked", "agrees", ""},
      {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
       Align::Left});
  for (const std::size_t p : shown)
    table.add({shortened(votes.annotators()[p], 30), std::to_string(annotators[p].annotations),
               std::to_string(annotators[p].ticks), rate_text(annotators[p].sensitivity),
               rate_text(annotators[p].false_positive_rate), percent_text(annotators[p].agreement),
               votes.is_program(p)     ? "program"
               : annotators[p].guesses ? "seems to guess"
                                       : ""});
  return table.text();
}

Json::Members annotator_json(const Votes& votes, std::size_t p, const AnnotatorQuality& annotator) {
  return {{"person", votes.annotators()[p]},
          {"rows", annotator.annotations},
          {"ticks", annotator.ticks},
          {"sensitivity", rate_json(annotator.sensitivity)},
          {"false_ticks", rate_json(annotator.false_positive_rate)},
          {"agreement", annotator.agreement},
          {"guesses", annotator.guesses},
          {"program", votes.is_program(p)}};
}

// What is most often ticked instead of what, by the first few annotators.
std::string confusions_text(const Dataset& data, std::span<const std::size_t> order,
                            std::span<const AnnotatorDetails> details) {
  constexpr double kOften = 1;
  TextTable table({"person", "ticks", "instead of", "about"},
                  {Align::Left, Align::Left, Align::Left, Align::Right});
  std::size_t rows = 0;
  for (std::size_t k = 0; k < details.size(); ++k)
    if (!details[k].confused.empty() && details[k].confused.front().times >= kOften) {
      const Confusion& most = details[k].confused.front();
      table.add({shortened(data.votes->annotators()[order[k]], 30),
                 shortened(data.label_names[most.ticked], 30),
                 shortened(data.label_names[most.right], 30),
                 count_text(static_cast<std::size_t>(std::lround(most.times)), "time")});
      ++rows;
    }
  return rows == 0 ? "" : "\nwhat each person most often confuses\n" + table.text();
}

void add_details(Json::Members& annotator, const Dataset& data, const AnnotatorDetails& details) {
  std::vector<Json> worst, confused;
  for (const CellProbability& tick : details.worst) {
    Json::Members cell = {{"row", tick.row},
                          {"label", data.label_names[tick.label]},
                          {"confidence", double{tick.probability}}};
    if (!data.ids.empty()) cell.emplace(cell.begin(), "id", data.ids[tick.row]);
    worst.push_back(Json::object(cell));
  }
  for (const Confusion& pair : details.confused)
    confused.push_back(Json::object({{"ticked", data.label_names[pair.ticked]},
                                     {"right", data.label_names[pair.right]},
                                     {"times", pair.times}}));
  annotator.emplace_back("worst_ticks", Json::array(worst));
  annotator.emplace_back("confuses", Json::array(confused));
}

}  // namespace

std::vector<std::size_t> by_annotations(std::span<const AnnotatorQuality> annotators) {
  std::vector<std::size_t> order(annotators.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t p) { return annotators[p].annotations; });
  return order;
}

Rendered render_annotators(const Dataset& data, std::span<const AnnotatorQuality> annotators,
                           const HeldOutCheck& check, std::size_t most,
                           std::span<const AnnotatorDetails> details) {
  const Votes& votes = *data.votes;
  const std::vector<std::size_t> order = by_annotations(annotators);
  std::vector<Json> rows;
  for (std::size_t k = 0; k < order.size(); ++k) {
    Json::Members annotator = annotator_json(votes, order[k], annotators[order[k]]);
    if (k < details.size()) add_details(annotator, data, details[k]);
    rows.push_back(Json::object(annotator));
  }
  const std::size_t shown = std::min(order.size(), most);
  std::string text =
      fmt::format("annotators, most active first{}\n",
                  shown == order.size() ? "" : fmt::format(" ({} more)", order.size() - shown));
  text += table_text(votes, annotators, std::span(order).first(shown));
  text += fmt::format(
      "rates with 90 % intervals; leaving one person out at a time, the others' votes predict how\n"
      "often that person ticks to within {} on average\n",
      percent_text(check.error));
  text += confusions_text(data, order, details);
  return {text, Json::array(rows)};
}

Rendered render_uncompared_annotators(const Votes& votes, const std::string& why,
                                      std::size_t most) {
  std::vector<AnnotatorSummary> annotators = summarise(votes).annotators;
  std::ranges::stable_sort(annotators, std::greater{}, &AnnotatorSummary::annotations);
  const std::size_t shown = std::min(annotators.size(), most);
  TextTable table({"annotator", "rows", "ticks"}, {Align::Left, Align::Right, Align::Right});
  for (const AnnotatorSummary& annotator : std::span(annotators).first(shown))
    table.add({shortened(annotator.name, 30), std::to_string(annotator.annotations),
               std::to_string(annotator.ticks)});
  std::vector<Json> rows;
  for (const AnnotatorSummary& annotator : annotators)
    rows.push_back(Json::object(
        {{"person", annotator.name}, {"rows", annotator.annotations}, {"ticks", annotator.ticks}}));
  return {
      fmt::format(
          "no rates of annotators: {}\n\n"
          "annotators, most active first{}\n{}",
          why,
          shown == annotators.size() ? "" : fmt::format(" ({} more)", annotators.size() - shown),
          table.text()),
      Json::array(rows)};
}

}  // namespace sieve
