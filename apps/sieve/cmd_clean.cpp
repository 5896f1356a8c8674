#include <memory>
#include <utility>

#include <fmt/format.h>

#include "labelsieve/judging.h"
#include "labelsieve/model_io.h"
#include "method_choice.h"
#include "reading.h"
#include "report/told.h"
#include "terminal_progress.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

// Of the right labels, nobody ticks that many: taken for granted where labels that nobody ticked
// are asked for and it is not known who ticked what.
constexpr double kUsuallyMissing = 0.1;

void check_request(const Arguments& arguments, const WriteOptions& options) {
  if (arguments.has("in-sample"))
    for (const char* other : {"folds", "method", "set", "gold", "missing"})
      if (arguments.given(other))
        throw usage_error(fmt::format("--in-sample takes a finished model, --{} trains one", other),
                          "leave one of them out");
  if (arguments.given("for") && arguments.given("threshold"))
    throw usage_error("--for and --threshold both say what to remove", "leave one of them out");
  if (chosen_method(arguments).oracle)
    throw usage_error("the method '" + arguments.text("method") +
                          "' is an oracle: it would need the truth to clean",
                      "choose another with --method");
  method_settings(arguments);
  if (arguments.has("out")) check_output(arguments.text("out"), options);
  for (const char* list : {"suspects", "missing"})
    if (arguments.has(list)) check_writable(arguments.text(list), if_exists(arguments));
}

Judged judge(const Arguments& arguments, ThreadPool& pool, std::vector<std::string>& notes) {
  ReadOptions options = read_options(arguments, pool, notes);
  options.keep_cells = arguments.has("out");
  if (const std::string& path = arguments.text("in-sample"); !path.empty()) {
    const std::unique_ptr<Model> model = load_model(path);
    options.recipe = model->state().recipe;
    return judge_in_sample(read_ticked(arguments, arguments.words(), options), *model, path, pool);
  }
  Dataset data = read_ticked(arguments, arguments.words(), options);
  const std::unique_ptr<Learner> learner =
      chosen_method(arguments).make(method_settings(arguments));
  TerminalProgress progress(ProgressOutput::standard_error(arguments.flag("quiet")));
  FitOptions fit;
  fit.seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  fit.threads = &pool;
  fit.progress = &progress;
  const std::size_t folds = arguments.count("folds");
  // Some methods need no folds for that.
  const std::string how = learner->judges_unseen_rows() ? "each row by what had not seen it"
                                                        : fmt::format("{} folds", folds);
  std::vector<GoldCell> gold;
  if (arguments.has("gold")) gold = read_gold(arguments.text("gold"), data);
  return judge_out_of_fold(std::move(data), *learner,
                           fmt::format("{}, {}", arguments.text("method"), how), folds, fit,
                           {gold, arguments.has("missing") ? kUsuallyMissing : 0});
}

// Both files appear together. What was written, in words.
std::string save(Judged& judged, const std::vector<JudgedCandidate>& ranked, CleanedLabels& cleaned,
                 const Arguments& arguments, const WriteOptions& options,
                 std::vector<std::string>& notes) {
  const std::string &suspects = arguments.text("suspects"), &out = arguments.text("out");
  FileSet set;
  if (!suspects.empty())
    write_suspects(judged, ranked, set.add(FileSystem::real(), suspects, if_exists(arguments)));
  const std::string& missing = arguments.text("missing");
  if (!missing.empty())
    write_missing(judged, set.add(FileSystem::real(), missing, if_exists(arguments)));
  if (!out.empty()) {
    judged.data.candidates = std::move(cleaned.kept);
    write_dataset(judged.data, out, options, set);
    add_lost(notes, judged.data, out, options);
  }
  set.commit();
  std::string text;
  if (!suspects.empty())
    text += fmt::format("\nwrote {}: {} candidates, the most suspicious first\n", suspects,
                        ranked.size());
  if (!missing.empty())
    text += fmt::format("\nwrote {}: {} labels that nobody ticked, the likeliest first\n", missing,
                        judged.missing().size());
  if (!out.empty())
    text += fmt::format(
        "\n{}{} candidates removed; {} rows would have lost all and keep "
        "their best one\n",
        written_line(judged.data.shape(), out, options), cleaned.removed, cleaned.rescued_rows);
  return text;
}

double threshold_of(const Arguments& arguments, const Judged& judged) {
  if (!arguments.given("for")) return arguments.real("threshold");
  return keeping_threshold(judged.confidence, judged.data.candidates,
                           arguments.text("for") == "f1" ? CleanFor::F1 : CleanFor::Hamming);
}

Report run(const Arguments& arguments) {
  const WriteOptions options = write_options(arguments);
  check_request(arguments, options);
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  Judged judged = judge(arguments, pool, notes);
  const std::size_t wanted =
      arguments.has("suspects") ? judged.data.candidates.count() : arguments.count("top");
  const auto ranked = ranked_candidates(judged.confidence, judged.data.candidates, wanted);
  const auto quality = cleaning_quality(judged);  // before there is one more label matrix
  const double threshold = threshold_of(arguments, judged);
  CleanedLabels cleaned = remove_suspects(judged.confidence, judged.data.candidates, threshold);
  const Told told = tell_cleaning({.judged = judged,
                                   .ranked = ranked,
                                   .cleaned = cleaned,
                                   .quality = quality,
                                   .threshold = threshold,
                                   .top = arguments.count("top"),
                                   .in_sample = arguments.has("in-sample"),
                                   .missing = arguments.has("missing")});
  Report report{.text = told.text + save(judged, ranked, cleaned, arguments, options, notes),
                .json = told.json};
  report.notes = std::move(notes);
  if (judged.nameless && !arguments.has("gold"))
    report.notes.push_back(
        "wrong ticks that follow the features look like right ones, so that noise may be more than "
        "estimated: who ticked what (--ticks) or some 30 decided cells per label (--gold) tell");
  if (arguments.has("in-sample"))
    report.notes.push_back(
        "judged by a model that may have seen these rows: it then trusts their "
        "candidates too much");
  return report;
}

}  // namespace

Verb clean_verb() {
  Verb verb{
      .name = "clean",
      .summary = "find candidates that are noise, and remove them",
      .arguments = "IN...",
      .least_words = 1,
      .most_words = 1000,
      .details =
          "Every row is judged by a model that has not seen it: the rows are split into folds\n"
          "and each fold is judged by a model of the others. Rows count from 0.\n"
          "With --ticks, who ticked what counts as well: each person's habits are learnt, and\n"
          "labels that nobody ticked are found too.",
      .example = "sieve clean crowd.arff --suspects suspects.csv --out cleaned.arff",
      .run = run};
  verb.options = method_options();
  const std::vector<Option> own = {
      integer("folds", "number of folds", 2, 1e6, "5"),
      path("in-sample", "judge by this model instead, even if it has seen the rows"),
      seed_option(),
      path("out", "write a cleaned copy of the data here"),
      path("suspects", "write every candidate and its confidence here, as CSV"),
      path("missing", "write labels that nobody ticked but are likely right here, as CSV"),
      path("gold", "cells an expert decided, as CSV with item, label and true"),
      real("threshold", "remove candidates with less confidence than this", 0, 1, "0.5"),
      choice("for", {"hamming", "f1"},
             "choose the threshold for the fewest wrong labels, or the largest F1", "hamming"),
      integer("top", "how many suspects to show", 0, 1e9, "20")};
  for (const auto& more :
       {own, writing_options(), reading_options("candidates"), ticks_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
