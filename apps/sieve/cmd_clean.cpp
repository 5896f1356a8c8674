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

void check_request(const Arguments& arguments, const WriteOptions& options) {
  if (arguments.has("in-sample"))
    for (const char* other : {"folds", "method", "set", "gold", "missing"})
      if (arguments.given(other))
        throw usage_error(fmt::format("--in-sample takes a finished model, --{} trains one", other),
                          "leave one of them out");
  if (chosen_method(arguments).oracle)
    throw usage_error("the method '" + arguments.text("method") +
                          "' is an oracle: it would need the truth to clean",
                      "choose another with --method");
  method_settings(arguments);
  if (arguments.has("out")) check_output(arguments.text("out"), options);
  for (const char* list : {"suspects", "missing"})
    if (arguments.has(list))
      AtomicFile(FileSystem::real(), arguments.text(list), if_exists(arguments));
}

std::vector<GoldCell> gold_cells(const Dataset& data, const Arguments& arguments) {
  for (const char* flag : {"gold", "missing"})
    if (arguments.has(flag) && !data.votes)
      throw usage_error(fmt::format("--{} needs to know who ticked what", flag),
                        "give the ticks with --ticks");
  return arguments.has("gold") ? read_gold(arguments.text("gold"), data) : std::vector<GoldCell>{};
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
  const std::vector<GoldCell> gold = gold_cells(data, arguments);
  return judge_out_of_fold(std::move(data), *learner,
                           fmt::format("{}, {}", arguments.text("method"), how), folds, fit, gold);
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
                        judged.crowd->missing.size());
  if (!out.empty())
    text += fmt::format(
        "\n{}{} candidates removed; {} rows would have lost all and keep "
        "their best one\n",
        written_line(judged.data.shape(), out, options), cleaned.removed, cleaned.rescued_rows);
  return text;
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
  CleanedLabels cleaned =
      remove_suspects(judged.confidence, judged.data.candidates, arguments.real("threshold"));
  const Told told = tell_cleaning({.judged = judged,
                                   .ranked = ranked,
                                   .cleaned = cleaned,
                                   .quality = quality,
                                   .threshold = arguments.real("threshold"),
                                   .top = arguments.count("top"),
                                   .in_sample = arguments.has("in-sample")});
  Report report{.text = told.text + save(judged, ranked, cleaned, arguments, options, notes),
                .json = told.json};
  report.notes = std::move(notes);
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
      path("missing", "with --ticks: write labels that nobody ticked but are likely right here"),
      path("gold", "with --ticks: cells an expert decided, as CSV with item, label and true"),
      real("threshold", "remove candidates with less confidence than this", 0, 1, "0.5"),
      integer("top", "how many suspects to show", 0, 1e9, "20")};
  for (const auto& more :
       {own, writing_options(), reading_options("candidates"), ticks_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
