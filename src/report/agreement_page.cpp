#include <algorithm>

#include <fmt/format.h>

#include "base/format_text.h"
#include "report/charts.h"
#include "report/html_page.h"
#include "report/pages.h"

namespace sieve {
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
