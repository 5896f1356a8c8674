#include "label_report.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/table.h"
#include "format_text.h"
#include "labelsieve/metrics.h"

namespace sieve {
namespace {

double quotient(std::size_t part, std::size_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : share_of(part, whole);
}

std::string number(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.4f}", value);
}

}  // namespace

double LabelMeasures::precision() const {
  return quotient(right, decided);
}

double LabelMeasures::recall() const {
  return quotient(right, truth);
}

double LabelMeasures::f1() const {
  return quotient(2 * right, truth + decided);
}

std::vector<LabelMeasures> count_labels(const LabelMatrix& truth, const LabelMatrix* decisions) {
  std::vector<LabelMeasures> counts(truth.labels());
  for (std::size_t i = 0; i < truth.rows(); ++i) {
    truth.for_each(i, [&](std::size_t k) { ++counts[k].truth; });
    if (decisions == nullptr) continue;
    decisions->for_each(i, [&](std::size_t k) {
      ++counts[k].decided;
      counts[k].right += truth.get(i, k);
    });
  }
  return counts;
}

LabelReport report_by_label(const std::vector<std::string>& names, const LabelMatrix& truth,
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
