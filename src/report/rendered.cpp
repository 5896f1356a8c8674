#include "report/rendered.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/format_text.h"
#include "base/table.h"
#include "labelsieve/metrics.h"
#include "metrics/measuring.h"

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

namespace {

constexpr std::size_t kShown = 30;

const char* promise_of(const GuaranteedLabel& label) {
  if (!std::isfinite(label.threshold)) return "never on";
  if (label.decisions == 0) return "always on";
  return label.shared ? "together" : "alone";
}

std::string text_of(const Guarantee& guarantee, const std::vector<std::string>& labels) {
  std::string text =
      fmt::format("{}: each promise holds with {:.0f} % probability for rows like the {} decided\n",
                  to_string(goal_of(guarantee)), 100 * guarantee.level, guarantee.rows);
  TextTable table({"label", "promise", "on from", "decisions"},
                  {Align::Left, Align::Left, Align::Right, Align::Right});
  bool together = false;
  for (std::size_t l = 0; l < std::min(labels.size(), kShown); ++l) {
    const GuaranteedLabel& label = guarantee.labels[l];
    const bool shown = label.decisions > 0;
    table.add({labels[l], promise_of(label), shown ? fmt::format("{:.4g}", label.threshold) : "-",
               shown ? std::to_string(label.decisions) : "-"});
  }
  for (const GuaranteedLabel& label : guarantee.labels) together |= label.shared;
  text += table.text();
  if (labels.size() > kShown)
    text += fmt::format("and {} more\n", count_text(labels.size() - kShown, "label"));
  if (together)
    text += fmt::format(
        "\"together\" is one promise about these labels, which had too few decisions alone: the\n"
        "{} within a row, as a mean over the rows where there is one.\n",
        guarantee.about);
  return text;
}

}  // namespace

Rendered render_guarantee(const Guarantee& guarantee, const std::vector<std::string>& labels) {
  std::vector<Json> each;
  for (std::size_t l = 0; l < labels.size(); ++l) {
    const GuaranteedLabel& label = guarantee.labels[l];
    const bool ever = std::isfinite(label.threshold);
    each.push_back(
        Json::object({{"label", labels[l]},
                      {"promise", promise_of(label)},
                      {"threshold", ever ? Json(static_cast<double>(label.threshold)) : Json()},
                      {"decisions", label.decisions}}));
  }
  return {text_of(guarantee, labels), Json::object({{"about", guarantee.about},
                                                    {"share", guarantee.share},
                                                    {"level", guarantee.level},
                                                    {"rows", guarantee.rows},
                                                    {"labels", Json::array(each)}})};
}

Json guarantees_json(const ModelState& state) {
  std::vector<Json> all;
  for (const Guarantee& each : state.choices.guarantees)
    all.push_back(render_guarantee(each, state.label_names).json);
  return Json::array(all);
}

namespace {

// Now, and up to 0.2.0. To go with 0.4.0.
constexpr std::array<std::pair<const char*, const char*>, 8> kRenamed = {
    {{"annotator", "person"},
     {"annotators", "people"},
     {"annotations", "looks"},
     {"empty_annotations", "empty_looks"},
     {"fewest_annotations", "fewest_looks"},
     {"most_annotations", "most_looks"},
     {"probability", "confidence"},
     {"false_positive_rate", "false_ticks"}}};

}  // namespace

Json with_earlier_names(Json::Members members) {
  for (const auto& [now, earlier] : kRenamed) {
    const auto found = std::ranges::find(members, now, &Json::Members::value_type::first);
    if (found != members.end()) members.emplace_back(earlier, Json(found->second));
  }
  return Json::object(members);
}

}  // namespace sieve
