#include <fmt/format.h>

#include <cmath>

#include "base/table.h"
#include "labelsieve/metrics.h"
#include "metrics/measuring.h"
#include "report/rendered.h"

namespace sieve {

Rendered render_measures(const std::vector<NamedMeasure>& measures) {
  TextTable table({"measure", "", "value", "used", "skipped"},
                  {Align::Left, Align::Left, Align::Right, Align::Right, Align::Right});
  Json::Members values;
  for (const auto& [metric, result] : measures) {
    const bool higher = metric.better == Direction::HigherIsBetter;
    table.add({metric.title, higher ? "↑" : "↓",
               std::isnan(result.value) ? "-" : fmt::format("{:.6f}", result.value),
               std::to_string(result.used), std::to_string(result.skipped)});
    values.emplace_back(metric.key, Json::object({{"value", result.value},
                                                  {"better", higher ? "higher" : "lower"},
                                                  {"used", result.used},
                                                  {"skipped", result.skipped}}));
  }
  return {table.text(), Json::object(values)};
}

namespace {

std::string number(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.4f}", value);
}

}  // namespace

Rendered render_labels(const std::vector<std::string>& names, const LabelMatrix& truth,
                       const MatrixD* scores, const LabelMatrix* decisions) {
  const std::vector<LabelMeasures> counts = count_labels(truth, decisions);
  const std::vector<double> auc =
      scores != nullptr ? label_auc(*scores, truth) : std::vector<double>(names.size(), NAN);
  TextTable table({"label", "true", "decided", "precision", "recall", "F1", "AUC"},
                  {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right,
                   Align::Right, Align::Right});
  std::vector<Json> rows;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const LabelMeasures& one = counts[k];
    const bool decided = decisions != nullptr;
    const auto of_decisions = [&](double value) { return decided ? value : NAN; };
    const double precision = of_decisions(one.precision()), recall = of_decisions(one.recall()),
                 f1 = of_decisions(one.f1());
    table.add({shortened(names[k], 30), std::to_string(one.truth),
               decided ? std::to_string(one.decided) : "-", number(precision), number(recall),
               number(f1), number(auc[k])});
    rows.push_back(Json::object({{"label", names[k]},
                                 {"truth", one.truth},
                                 {"decided", decided ? Json(one.decided) : Json()},
                                 {"precision", precision},
                                 {"recall", recall},
                                 {"f1", f1},
                                 {"auc", auc[k]}}));
  }
  return {table.text(), Json::array(rows)};
}

}  // namespace sieve
