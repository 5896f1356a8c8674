#include "report/annotators_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/format_text.h"
#include "labelsieve/dataset.h"
#include "report/charts.h"
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

namespace {

constexpr std::size_t kMapped = 30;  // annotators that a map has room for
constexpr std::size_t kPairsListed = 500;

HtmlCell figure_cell(const AgreementFigure& figure) {
  if (!figure.value) return text_cell("-");
  HtmlCell cell = number_cell(*figure.value);
  if (figure.low) cell.note = fmt::format("{:.3f} to {:.3f}", *figure.low, *figure.high);
  return cell;
}

std::vector<HtmlColumn> figure_columns() {
  return {{"Alpha", true, "Krippendorff's alpha"},
          {"Kappa", true, "Fleiss' kappa"},
          {"AC1", true, "Gwet's AC1"},
          {"Pairwise", true, "mean agreement of pairs of annotations"}};
}

void add_figures(std::vector<HtmlCell>& row, const AgreementFigures& figures) {
  for (const AgreementFigure* figure :
       {&figures.alpha, &figures.kappa, &figures.ac1, &figures.pairwise})
    row.push_back(figure_cell(*figure));
}

HtmlTable overall_table(const Agreement& a) {
  HtmlTable table{"Overall", {{"What is compared"}}, {}};
  for (HtmlColumn& column : figure_columns()) table.columns.push_back(std::move(column));
  const auto add = [&](const char* name, const AgreementFigures& figures) {
    std::vector<HtmlCell> row = {text_cell(name)};
    add_figures(row, figures);
    table.rows.push_back(std::move(row));
  };
  add("label sets, MASI distance", {a.masi_alpha, {}, {}, a.masi_similarity});
  add("label sets, equal or not", a.sets);
  add("mean over labels", a.labels_mean);
  return table;
}

HtmlTable label_table(const Dataset& data, const Agreement& a) {
  HtmlTable table{"Labels", {{"Label"}, {"Rows", true, "where somebody ticked it"}}, {}};
  for (HtmlColumn& column : figure_columns()) table.columns.push_back(std::move(column));
  for (std::size_t k = 0; k < a.labels.size(); ++k) {
    std::vector<HtmlCell> row = {text_cell(data.label_names[k]), count_cell(a.labels_ticked[k])};
    add_figures(row, a.labels[k]);
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string similarity_text(const PairAgreement& pair) {
  return fmt::format("{} on {} ({})", percent_text(pair.similarity.value),
                     count_text(pair.rows, "row"),
                     percent_range(pair.similarity.low, pair.similarity.high));
}

HeatMap pair_map(const Dataset& data, const Agreement& a) {
  HeatMap map{.title = "How alike annotators are", .note = {}, .names = {}, .cells = {}};
  const std::size_t size = std::min(kMapped, a.compared.size());
  std::vector<std::size_t> place(data.votes->annotators().size(), size);
  for (std::size_t k = 0; k < size; ++k) {
    place[a.compared[k]] = k;
    map.names.push_back(data.votes->annotators()[a.compared[k]]);
  }
  double least = 1, most = 0;
  for (const PairAgreement& pair : a.pairs) {
    const std::size_t first = place[pair.first], second = place[pair.second];
    if (first == size || second == size) continue;
    map.cells.push_back({first, second, pair.similarity.value, similarity_text(pair)});
    least = std::min(least, pair.similarity.value), most = std::max(most, pair.similarity.value);
  }
  if (!map.cells.empty())
    map.note = fmt::format("from {} (pale) to {} (dark); blank: no shared row", percent_text(least),
                           percent_text(most));
  if (size < a.annotators) map.note += fmt::format("; the {} with most annotations", size);
  return map;
}

HtmlTable pair_table(const Dataset& data, const Agreement& a) {
  HtmlTable table{"Pairs of annotators",
                  {{"Annotator"},
                   {"Annotator"},
                   {"Rows", true, "that both annotated"},
                   {"Similarity", true, "mean of 1 - MASI distance, with a 90 % interval"}},
                  {}};
  for (const std::size_t k : least_agreeing(a, kPairsListed)) {
    const PairAgreement& pair = a.pairs[k];
    HtmlCell similarity = percent_cell(pair.similarity.value);
    similarity.note = percent_range(pair.similarity.low, pair.similarity.high);
    table.rows.push_back({text_cell(data.votes->annotators()[pair.first]),
                          text_cell(data.votes->annotators()[pair.second]), count_cell(pair.rows),
                          similarity});
  }
  return table;
}

// By the usual reading of alpha (Krippendorff): from 0.8 on reliable, below 0.667 not.
std::vector<Headline> headlines_of(const Agreement& a) {
  const AgreementFigure& alpha = a.masi_alpha;
  if (!alpha.value) return {};
  const char* how = *alpha.value >= 0.8     ? "Annotators agree well."
                    : *alpha.value >= 0.667 ? "Annotators agree, with care."
                                            : "Annotators agree too little to rely on one of them.";
  std::string basis = fmt::format("alpha of label sets {:.2f}", *alpha.value);
  if (alpha.low) basis += fmt::format(" ({:.2f} to {:.2f})", *alpha.low, *alpha.high);
  return {{how, basis + "; 0.8 and more is reliable, less than 0.67 is not"}};
}

}  // namespace

std::string agreement_page(const Dataset& data, const Agreement& a) {
  HtmlPage page("Annotators", "How far annotators agree",
                a.why.empty() ? "Figures with 90 % intervals from resampled rows. Alpha, kappa and "
                                "AC1 are 1 for perfect agreement and 0 for agreement by chance."
                              : "Agreement cannot be measured: " + a.why + ".");
  page.add_paragraph(fmt::format("{}, {}, {} of them with two or more annotations, {}, {}.",
                                 count_text(a.annotators, "annotator"), count_text(a.rows, "row"),
                                 a.shared_rows, count_text(a.annotations, "annotation"),
                                 count_text(data.labels(), "label")));
  page.add_headlines(headlines_of(a));
  if (!a.why.empty()) return page.text();
  page.begin_section("Overall");
  page.add(draw(overall_table(a)));
  if (const std::vector<std::string> missing = missing_figures(data, a); !missing.empty())
    page.add(bullet_list(missing));
  page.begin_section("Labels", "Each label by itself: ticked or not.");
  page.add(draw(label_table(data, a)));
  page.begin_section("Annotators in pairs",
                     "Similarity is 1 - MASI distance of their label sets, mean over shared rows.");
  page.add_figures({draw(pair_map(data, a))});
  page.add(draw(pair_table(data, a)));
  if (a.pairs.size() > kPairsListed)
    page.add_paragraph(
        fmt::format("The {} of {} pairs that surely agree least.", kPairsListed, a.pairs.size()));
  return page.text();
}

}  // namespace sieve
