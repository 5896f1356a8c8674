#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/dataset.h"
#include "report/annotators_parts.h"
#include "report/html_page.h"
#include "report/pages.h"

namespace sieve {
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
