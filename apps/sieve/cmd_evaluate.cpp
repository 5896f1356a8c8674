#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "base/parse_number.h"
#include "labelsieve/data_io.h"
#include "labelsieve/metrics.h"
#include "options.h"
#include "reading.h"
#include "report/rendered.h"
#include "verbs.h"

namespace sieve {
namespace {

// A measure that must not be below, or above, a value.
struct Bound {
  std::string metric;
  double value = 0;
  bool lower = false;  // the measure must not be below the value
};

// Error(Usage) with the nearest name if no measure has this key.
void require_metric(const std::string& key) {
  const std::vector<std::string> keys = names_of(all_metrics(), &MetricInfo::key);
  if (std::ranges::find(keys, key) == keys.end())
    throw usage_error("there is no measure '" + key + "'",
                      did_you_mean(key, keys, "the measures are: " + joined(keys, ", ")));
}

std::vector<Bound> bounds_of_flag(const Arguments& arguments, const std::string& flag) {
  std::vector<Bound> bounds;
  for (const std::string& item : arguments.list(flag)) {
    const std::size_t equals = item.find('=');
    const std::optional<double> value =
        equals == std::string::npos ? std::nullopt : parse_number<double>(item.substr(equals + 1));
    if (!value)
      throw usage_error(fmt::format("--{}: '{}' is not measure=number", flag, item),
                        fmt::format("e.g. --{} micro-f1=0.5", flag));
    bounds.push_back({item.substr(0, equals), *value, flag == "fail-below"});
    require_metric(bounds.back().metric);
  }
  return bounds;
}

// What --fail-below and --fail-above ask for, e.g. "micro-f1=0.5,macro-auc=0.7".
std::vector<Bound> bounds_of(const Arguments& arguments) {
  std::vector<Bound> bounds = bounds_of_flag(arguments, "fail-below");
  for (Bound& bound : bounds_of_flag(arguments, "fail-above")) bounds.push_back(std::move(bound));
  return bounds;
}

// One sentence for each bound that does not hold. Error(Usage) if its measure was not taken.
std::vector<std::string> failed_checks(const std::vector<NamedMeasure>& measures,
                                       const std::vector<Bound>& bounds) {
  std::vector<std::string> failed;
  for (const Bound& bound : bounds) {
    const auto found = std::ranges::find_if(
        measures, [&](const NamedMeasure& one) { return one.metric.key == bound.metric; });
    if (found == measures.end())
      throw usage_error("the measure '" + bound.metric + "' to check was not computed");
    const double value = found->result.value;
    // Not a number passes no check.
    if (bound.lower ? value >= bound.value : value <= bound.value) continue;
    failed.push_back(fmt::format("check failed: {} is {:.6f}, {} {}", bound.metric, value,
                                 bound.lower ? "below" : "above", bound.value));
  }
  return failed;
}

struct Inputs {
  std::vector<std::string> names, ids, notes;
  LabelMatrix truth;
  std::optional<MatrixD> scores;
  std::optional<LabelMatrix> decisions, candidates;
};

std::vector<Bound> check_request(const Arguments& arguments) {
  if (!arguments.has("truth"))
    throw usage_error("--truth is needed: the labels to measure against");
  if (!arguments.has("scores") && !arguments.has("decisions"))
    throw usage_error("nothing to measure", "give --scores, --decisions or both");
  if (!arguments.has("scores") && arguments.has("threshold"))
    throw usage_error("--threshold needs --scores");
  for (const std::string& key : arguments.list("metrics")) require_metric(key);
  return bounds_of(arguments);
}

Inputs load(const Arguments& arguments, ThreadPool& pool) {
  Inputs in;
  const ReadOptions options = read_options(arguments, pool, in.notes);
  Dataset data = read_labels(arguments.text("truth"), options);
  in.names = std::move(data.label_names);
  in.ids = std::move(data.ids);
  in.truth = std::move(data.truth ? *data.truth : data.candidates);
  ReadOptions plain;  // the flags that tell label columns are about the truth
  plain.threads = &pool;
  const WantedRows rows{in.truth.rows(), in.ids};
  if (const std::string& file = arguments.text("scores"); !file.empty())
    in.scores = read_scores(file, in.names, rows);
  if (const std::string& file = arguments.text("decisions"); !file.empty())
    in.decisions = read_decisions(file, in.names, rows, plain);
  else if (arguments.has("threshold"))
    in.decisions = decide_by_threshold(*in.scores, arguments.real("threshold"));
  if (const std::string& file = arguments.text("candidates"); !file.empty())
    in.candidates = read_decisions(file, in.names, rows, plain);
  return in;
}

template <class T>
const T* pointer_to(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

std::vector<NamedMeasure> measure(const Inputs& in, const Arguments& arguments) {
  MetricOptions options;
  if (arguments.text("ties") == "matlab") options.ties = Ties::Matlab;
  if (arguments.text("degenerate") == "library") options.degenerate = DegenerateRows::Library;
  options.zero_division = arguments.real("zero-division");
  std::vector<NamedMeasure> measures = evaluate(in.truth, {.wide_scores = pointer_to(in.scores),
                                                           .decisions = pointer_to(in.decisions),
                                                           .candidates = pointer_to(in.candidates),
                                                           .options = options});
  const std::vector<std::string> wanted = arguments.list("metrics");
  if (!wanted.empty())
    std::erase_if(measures, [&](const NamedMeasure& one) {
      return std::ranges::find(wanted, one.metric.key) == wanted.end();
    });
  if (measures.empty())
    throw usage_error("none of the requested measures can be computed from the given files",
                      "ranking measures need --scores, the others --decisions or --threshold");
  return measures;
}

Report report_of(const std::vector<NamedMeasure>& measures, const Inputs& in, bool per_label) {
  Rendered taken = render_measures(measures);
  Report report{.text = std::move(taken.text), .notes = in.notes};
  Json::Members json = {{"rows", in.truth.rows()},
                        {"labels", in.truth.labels()},
                        {"measures", std::move(taken.json)}};
  if (per_label) {
    const Rendered labels =
        render_labels(in.names, in.truth, pointer_to(in.scores), pointer_to(in.decisions));
    report.text += "\n" + labels.text;
    json.emplace_back("per_label", labels.json);
  }
  report.json = Json::object(json);
  if (!in.decisions)
    report.notes.push_back("no decisions to measure: give --decisions or --threshold");
  return report;
}

Report run(const Arguments& arguments) {
  const std::vector<Bound> bounds = check_request(arguments);
  ThreadPool pool(arguments.count("threads"));
  const Inputs in = load(arguments, pool);
  const std::vector<NamedMeasure> measures = measure(in, arguments);
  Report report = report_of(measures, in, arguments.flag("per-label"));
  report.failed_checks = failed_checks(measures, bounds);
  return report;
}

}  // namespace

Verb evaluate_verb() {
  Verb verb{
      .name = "evaluate",
      .summary = "measure scores or decisions against the true labels",
      .details =
          "Scores and decisions are tables of rows x labels, such as predict writes, or plain\n"
          "ones with or without a line of names; decisions may also be the labels of a data\n"
          "set. Columns are matched by name if both sides have names, otherwise by order.\n"
          "Arrows show which way is better.",
      .example = "sieve evaluate --truth test.arff --scores scores.csv --threshold 0.5",
      .run = run};
  verb.options = {
      path("truth", "the data set or label table with the true labels"),
      path("scores", "table of scores, larger means more relevant"),
      path("decisions", "table of 0 and 1, or a data set whose labels are the decisions"),
      path("candidates", "candidate labels: adds the measures of label cleaning"),
      real("threshold", "a label is decided where its score is at least this", -1e300, 1e300),
      choice("ties", {"sklearn", "matlab"}, "how equal scores rank", "sklearn"),
      choice("degenerate", {"skip", "library"},
             "rows with no or all labels: skip, or do as the library named in --ties", "skip"),
      real("zero-division", "F1 where there is nothing true and nothing decided", 0, 1, "0"),
      text("metrics", "KEY,KEY", "only these measures"),
      flag("per-label", "also show a table per label"),
      text("fail-below", "KEY=X", "exit with 8 if a measure is below this; several with commas"),
      text("fail-above", "KEY=X", "exit with 8 if a measure is above this; several with commas")};
  const std::vector<Option> reading = reading_options("truth");
  verb.options.insert(verb.options.end(), reading.begin(), reading.end());
  return verb;
}

}  // namespace sieve
