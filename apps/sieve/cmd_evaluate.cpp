#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "labelsieve/label_match.h"
#include "labelsieve/metrics.h"
#include "labelsieve/score_table.h"
#include "metric_checks.h"
#include "reading.h"
#include "report/told.h"
#include "verbs.h"

namespace sieve {
namespace {

struct Inputs {
  std::vector<std::string> names;
  LabelMatrix truth;
  std::optional<MatrixD> scores;
  std::optional<LabelMatrix> decisions, candidates;
};

std::vector<Bound> check_request(const Arguments& arguments) {
  if (!arguments.has("truth")) throw usage_error("--truth is needed: what to measure against");
  if (!arguments.has("scores") && !arguments.has("decisions"))
    throw usage_error("nothing to measure", "give --scores, --decisions or both");
  if (!arguments.has("scores") && arguments.has("threshold"))
    throw usage_error("--threshold needs --scores");
  for (const std::string& key : arguments.list("metrics")) require_metric(key);
  return bounds_of(arguments);
}

MatrixD ordered_scores(const ScoreTable& scores, const Inputs& in, const std::string& file) {
  require_columns(in.names.size(), scores.values.cols(), file);
  const std::vector<std::size_t> columns = match_columns(in.names, scores.names, file);
  require_rows(in.truth.rows(), scores.values.rows(), file);
  MatrixD out(scores.values.rows(), in.names.size());
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t k = 0; k < columns.size(); ++k) out(i, k) = scores.values(i, columns[k]);
  return out;
}

// A table that predict wrote has a column of row numbers.
void check_row_numbers(const Dataset& data, const std::string& file) {
  if (data.feature_names != std::vector<std::string>{std::string(kRowColumn)}) return;
  std::vector<float> number(1);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    data.features.copy_row(i, number);
    if (number[0] != static_cast<float>(i))
      throw Error(Failure::Data, fmt::format("row {} stands where row {} belongs", number[0], i),
                  {file, 0, 0}, "rows count from 0: none may be missing, doubled or moved");
  }
}

// The labels of a second file in the order of the truth's.
LabelMatrix ordered_labels(const std::string& path, const Inputs& in, const ReadOptions& options) {
  const Dataset data = read_labels(path, options, in.names);
  require_rows(in.truth.rows(), data.rows(), path);
  check_row_numbers(data, path);
  return data.candidates.select_labels(match_columns(in.names, data.label_names, path));
}

Inputs load(const Arguments& arguments, ThreadPool& pool) {
  const ReadOptions options = read_options(arguments, pool);
  Dataset data = read_labels(arguments.text("truth"), options);
  Inputs in;
  in.names = std::move(data.label_names);
  in.truth = std::move(data.truth ? *data.truth : data.candidates);
  ReadOptions plain;  // the flags that tell label columns are about the truth
  plain.threads = &pool;
  if (const std::string& file = arguments.text("scores"); !file.empty())
    in.scores = ordered_scores(read_score_table(file, in.names), in, file);
  if (const std::string& file = arguments.text("decisions"); !file.empty())
    in.decisions = ordered_labels(file, in, plain);
  else if (arguments.has("threshold"))
    in.decisions = decide_by_threshold(*in.scores, arguments.real("threshold"));
  if (const std::string& file = arguments.text("candidates"); !file.empty())
    in.candidates = ordered_labels(file, in, plain);
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
  std::vector<NamedMeasure> measures =
      evaluate<double>(pointer_to(in.scores), pointer_to(in.decisions), pointer_to(in.candidates),
                       in.truth, options);
  const std::vector<std::string> wanted = arguments.list("metrics");
  if (!wanted.empty())
    std::erase_if(measures, [&](const NamedMeasure& one) {
      return std::ranges::find(wanted, one.metric.key) == wanted.end();
    });
  if (measures.empty())
    throw usage_error("none of the measures asked for can be taken from what was given",
                      "ranking measures need --scores, the others --decisions or --threshold");
  return measures;
}

Report report_of(const std::vector<NamedMeasure>& measures, const Inputs& in, bool per_label) {
  Told taken = tell_measures(measures);
  Report report{.text = std::move(taken.text)};
  Json::Members json = {{"rows", in.truth.rows()},
                        {"labels", in.truth.labels()},
                        {"measures", std::move(taken.json)}};
  if (per_label) {
    const Told labels =
        tell_labels(in.names, in.truth, pointer_to(in.scores), pointer_to(in.decisions));
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
          "set. Columns go by name where both sides have names, else by order. Arrows show\n"
          "which way is better.",
      .example = "sieve evaluate --truth test.arff --scores scores.csv --threshold 0.5",
      .run = run};
  verb.options = {
      path("truth", "the data set or label table with the true labels"),
      path("scores", "table of scores, larger means more relevant"),
      path("decisions", "table of 0 and 1, or a data set whose labels are the decisions"),
      path("candidates", "candidate labels: adds the measures of label cleaning"),
      real("threshold", "decide for scores of at least this", -1e300, 1e300),
      choice("ties", {"sklearn", "matlab"}, "how equal scores rank", "sklearn"),
      choice("degenerate", {"skip", "library"},
             "rows with no or all labels: skip, or do as the library named in --ties", "skip"),
      real("zero-division", "F1 where there is nothing true and nothing decided", 0, 1, "0"),
      text("metrics", "KEY,KEY", "only these measures"),
      flag("per-label", "a table of the labels too"),
      text("fail-below", "KEY=X", "exit with 8 if a measure is below this; several with commas"),
      text("fail-above", "KEY=X", "exit with 8 if a measure is above this; several with commas")};
  const std::vector<Option> reading = reading_options("truth");
  verb.options.insert(verb.options.end(), reading.begin(), reading.end());
  return verb;
}

}  // namespace sieve
