#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/table.h"
#include "report/rendered.h"

namespace sieve {
namespace {

constexpr std::size_t kPairsShown = 5;  // of either kind

struct Kind {
  const char* name;
  AgreementFigure AgreementFigures::*figure;
};
constexpr std::array<Kind, 4> kKinds = {
    Kind{"alpha", &AgreementFigures::alpha}, Kind{"kappa", &AgreementFigures::kappa},
    Kind{"AC1", &AgreementFigures::ac1}, Kind{"pairwise", &AgreementFigures::pairwise}};

Json figure_json(const AgreementFigure& figure) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  Json::Members members = {
      {"value", number(figure.value)}, {"low", number(figure.low)}, {"high", number(figure.high)}};
  if (!figure.why.empty()) members.emplace_back("why", figure.why);
  return Json::object(members);
}

Json::Members figures_json(const AgreementFigures& figures) {
  return {{"alpha", figure_json(figures.alpha)},
          {"kappa", figure_json(figures.kappa)},
          {"ac1", figure_json(figures.ac1)},
          {"pairwise", figure_json(figures.pairwise)}};
}

Json estimate_json(const Estimate& estimate) {
  return Json::object({{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}});
}

Json agreement_json(const Dataset& data, const Agreement& a) {
  std::vector<Json> labels, pairs;
  for (std::size_t k = 0; k < a.labels.size(); ++k) {
    Json::Members label = {{"label", data.label_names[k]}, {"rows_ticked", a.labels_ticked[k]}};
    const Json::Members figures = figures_json(a.labels[k]);
    label.insert(label.end(), figures.begin(), figures.end());
    labels.push_back(Json::object(label));
  }
  for (const PairAgreement& pair : a.pairs)
    pairs.push_back(Json::object({{"first", data.votes->annotators()[pair.first]},
                                  {"second", data.votes->annotators()[pair.second]},
                                  {"rows", pair.rows},
                                  {"similarity", estimate_json(pair.similarity)}}));
  Json::Members members = {{"rows", a.rows},
                           {"shared_rows", a.shared_rows},
                           {"annotations", a.annotations},
                           {"annotators", a.annotators},
                           {"label_sets", a.label_sets}};
  if (!a.why.empty()) {
    members.emplace_back("why", a.why);
    return Json::object(members);
  }
  members.insert(members.end(),
                 {{"masi", Json::object({{"alpha", figure_json(a.masi_alpha)},
                                         {"similarity", figure_json(a.masi_similarity)}})},
                  {"sets", Json::object(figures_json(a.sets))},
                  {"labels_mean", Json::object(figures_json(a.labels_mean))},
                  {"labels", Json::array(labels)},
                  {"annotators_compared", a.compared.size()},
                  {"pairs", Json::array(pairs)}});
  return Json::object(members);
}

std::vector<std::string> row_of(std::string name, const AgreementFigures& figures) {
  std::vector<std::string> row = {std::move(name)};
  for (const Kind& kind : kKinds) row.push_back(figure_text(figures.*kind.figure));
  return row;
}

std::string overall_table(const Agreement& a) {
  TextTable table({"", "alpha", "kappa", "AC1", "pairwise"});
  table.add(row_of("label sets, MASI", {a.masi_alpha, {}, {}, a.masi_similarity}));
  table.add(row_of("label sets, equal or not", a.sets));
  table.add(row_of("mean over labels", a.labels_mean));
  return table.text();
}

// The most ticked first.
std::vector<std::size_t> label_order(const Agreement& a) {
  std::vector<std::size_t> order(a.labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t k) { return a.labels_ticked[k]; });
  return order;
}

std::string label_table(const Dataset& data, const Agreement& a, std::size_t most) {
  if (a.labels.empty()) return {};
  const std::vector<std::size_t> order = label_order(a);
  const std::size_t shown = std::min(most, order.size());
  TextTable table({"label", "rows", "alpha", "kappa", "AC1", "pairwise"},
                  {Align::Left, Align::Right, Align::Left, Align::Left, Align::Left, Align::Left});
  for (const std::size_t k : std::span(order).first(shown)) {
    std::vector<std::string> row = row_of(shortened(data.label_names[k], 30), a.labels[k]);
    row.insert(row.begin() + 1, std::to_string(a.labels_ticked[k]));
    table.add(std::move(row));
  }
  return fmt::format("\nlabels, ticked or not, those on most rows first{}\n{}",
                     shown == order.size() ? "" : fmt::format(" ({} more)", order.size() - shown),
                     table.text());
}

std::string pair_table(const Dataset& data, const Agreement& a,
                       std::span<const std::size_t> places) {
  TextTable table({"annotator", "annotator", "rows", "similarity"},
                  {Align::Left, Align::Left, Align::Right, Align::Right});
  for (const std::size_t k : places) {
    const PairAgreement& pair = a.pairs[k];
    table.add({shortened(data.votes->annotators()[pair.first], 30),
               shortened(data.votes->annotators()[pair.second], 30), std::to_string(pair.rows),
               fmt::format("{} ({})", percent_text(pair.similarity.value),
                           percent_range(pair.similarity.low, pair.similarity.high))});
  }
  return table.text();
}

std::string pairs_text(const Dataset& data, const Agreement& a) {
  std::string text;
  if (a.pairs.size() <= 2 * kPairsShown)
    return "\npairs of annotators, those that surely agree least first\n" +
           pair_table(data, a, least_agreeing(a, 2 * kPairsShown));
  text += "\npairs of annotators that surely agree least\n" +
          pair_table(data, a, least_agreeing(a, kPairsShown));
  text += "\npairs of annotators that surely agree most\n" +
          pair_table(data, a, most_agreeing(a, kPairsShown));
  if (a.compared.size() < a.annotators)
    text += fmt::format("pairs of the {} annotators with most annotations\n", a.compared.size());
  return text;
}

// What is missing of one row of a table.
struct Missing {
  std::string figures, why;
  friend auto operator<=>(const Missing&, const Missing&) = default;
};

void add_missing(std::map<Missing, std::vector<std::string>>& all, const std::string& name,
                 const AgreementFigures& figures) {
  std::map<std::string, std::vector<std::string>> values, intervals;
  for (const Kind& kind : kKinds) {
    const AgreementFigure& figure = figures.*kind.figure;
    if (figure.why.empty()) continue;
    (figure.value ? intervals : values)[figure.why].push_back(kind.name);
  }
  for (const auto& [why, kinds] : values)
    all[{fmt::format("{}", fmt::join(kinds, ", ")), why}].push_back(name);
  for (const auto& [why, kinds] : intervals)
    all[{fmt::format("interval of {}", fmt::join(kinds, ", ")), why}].push_back(name);
}

}  // namespace

std::string figure_text(const AgreementFigure& figure) {
  // Not "-0.000".
  const auto text = [](double value) {
    return fmt::format("{:.3f}", std::abs(value) < 0.0005 ? 0.0 : value);
  };
  if (!figure.value) return "-";
  if (!figure.low) return text(*figure.value);
  return fmt::format("{} [{}, {}]", text(*figure.value), text(*figure.low), text(*figure.high));
}

std::vector<std::string> missing_figures(const Dataset& data, const Agreement& agreement) {
  constexpr std::size_t kNamed = 5;
  std::map<Missing, std::vector<std::string>> missing;
  add_missing(missing, "label sets (MASI)",
              {agreement.masi_alpha, {}, {}, agreement.masi_similarity});
  add_missing(missing, "label sets", agreement.sets);
  add_missing(missing, "the mean over labels", agreement.labels_mean);
  for (std::size_t k = 0; k < agreement.labels.size(); ++k)
    add_missing(missing, shortened(data.label_names[k], 30), agreement.labels[k]);
  std::vector<std::string> sentences;
  for (auto& [what, names] : missing) {
    const std::size_t more = names.size() - std::min(names.size(), kNamed);
    names.resize(names.size() - more);
    sentences.push_back(fmt::format("no {} for {}{}: {}", what.figures, fmt::join(names, ", "),
                                    more == 0 ? "" : fmt::format(" and {} more", more), what.why));
  }
  if (agreement.why.empty() && agreement.sets.pairwise.value == 1)
    sentences.push_back(fmt::format("all annotations of a row are equal, on all {} shared rows",
                                    agreement.shared_rows));
  return sentences;
}

Rendered render_agreement(const Dataset& data, const Agreement& agreement, std::size_t most) {
  const Json json = agreement_json(data, agreement);
  if (!agreement.why.empty())
    return {"agreement cannot be measured: " + agreement.why + "\n", json};
  std::string text = overall_table(agreement) + label_table(data, agreement, most);
  const std::vector<std::string> missing = missing_figures(data, agreement);
  if (!missing.empty()) text += "\n";
  for (const std::string& sentence : missing) text += sentence + "\n";
  text += pairs_text(data, agreement);
  return {text, json};
}

}  // namespace sieve
