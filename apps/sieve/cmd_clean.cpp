#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/streams.h"
#include "data/annotations/annotations_back.h"
#include "data/table_source.h"
#include "decisions.h"
#include "labelsieve/model_io.h"
#include "labelsieve/pipeline.h"
#include "pipeline/columns_beside.h"
#include "reading.h"
#include "report/pages.h"
#include "report/rendered.h"
#include "shared_options.h"
#include "terminal_progress.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

// Of the right labels, nobody ticks that many: taken for granted where labels that nobody ticked
// are asked for and it is not known who ticked what.
constexpr double kUsuallyMissing = 0.1;

// A layout of annotations, which are to come back.
bool is_layout(const Arguments& arguments) {
  const auto& layouts = layouts_written_back();
  return std::ranges::find(layouts, arguments.text("to")) != layouts.end();
}
bool is_for_label_studio(const Arguments& arguments) {
  return arguments.text("to") == "label-studio";
}

void check_request(const Arguments& arguments, const WriteOptions& options) {
  if (arguments.has("with") && !arguments.has("out"))
    throw usage_error("--with adds columns to the output, and there is none", "give --out");
  if (arguments.has("with") && is_layout(arguments))
    throw usage_error(
        fmt::format("--with adds columns to a table, and '{}' is none", arguments.text("to")),
        "leave it out");
  if (arguments.has("in-sample"))
    for (const char* other : {"folds", "method", "set", "gold", "missing"})
      if (arguments.given(other))
        throw usage_error(fmt::format("--in-sample takes a finished model, --{} trains one", other),
                          "leave one of them out");
  if (arguments.has("for") && arguments.has("threshold"))
    throw usage_error("--for and --threshold both say what to remove", "leave one of them out");
  if (chosen_method(arguments).oracle)
    throw usage_error("the method '" + arguments.text("method") +
                          "' is an oracle: it would need the truth to clean",
                      "choose another with --method");
  method_settings(arguments);
  if (is_layout(arguments) && !is_for_label_studio(arguments))
    check_layout(arguments, arguments.text("to"));
  if (arguments.has("out") && is_layout(arguments))
    check_writable(arguments, arguments.text("out"));
  else if (arguments.has("out"))
    check_output(arguments, arguments.text("out"), options);
  for (const char* list : {"suspects", "missing"})
    if (arguments.has(list)) check_writable(arguments, arguments.text(list));
}

Judged judge(const Arguments& arguments, ThreadPool& pool, Reviewed& reviewed,
             std::vector<std::string>& notes) {
  TerminalProgress bar(ProgressOutput::standard_error(arguments));
  WorkProgress progress(bar);
  progress.part("Read", kReadShare);
  ReadOptions options = read_options(arguments, pool, notes);
  options.keep_cells = arguments.has("out") || arguments.has("decisions");
  options.ticks.keep_unseen = arguments.has("decisions");  // a review has all rows
  if (const std::string& path = arguments.text("in-sample"); !path.empty()) {
    const std::unique_ptr<Model> model = load_model(path);
    options.recipe = model->state().recipe;
    Judged judged =
        judge(read_with_texts(arguments, arguments.words(), options),
              {.model = model.get(), .name = path, .use_votes = false, .fit = {.threads = &pool}});
    reviewed = read_decisions(arguments, judged.data, notes);  // labels are in the model's order
    return judged;
  }
  Dataset data = read_with_texts(arguments, arguments.words(), options);
  reviewed = read_decisions(arguments, data, notes);
  const bool votes_alone = data.votes && data.features.cols() == 0 && !arguments.has("method");
  JudgeRequest request{.method = votes_alone ? "" : chosen_method(arguments).name,
                       .settings = method_settings(arguments).values(),
                       .folds = arguments.count("folds"),
                       .regress = !arguments.has("method") && !arguments.has("set"),
                       .missing = arguments.has("missing") ? kUsuallyMissing : 0};
  if (arguments.has("gold")) request.gold = gold_cells(arguments, data);
  const std::vector<GoldCell> gold = gold_of(reviewed);
  request.gold.insert(request.gold.end(), gold.begin(), gold.end());
  if (arguments.given("truth-means"))
    request.truth =
        arguments.text("truth-means") == "expert" ? TruthMeans::Expert : TruthMeans::Consensus;
  request.fit.seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  request.fit.threads = &pool;
  request.fit.progress = &progress.part("Learn", 1);
  return judge(std::move(data), request);
}

// A workbook has room for what else was found, a sheet each.
bool is_workbook(const std::string& out, const WriteOptions& options) {
  return unpacked_name(out).ends_with(".xlsx") &&
         (options.format.empty() || options.format == "xlsx");
}

// The data with the labels that are left, and what was decided.
void write_cleaned(Cleaned& cleaned, const Json& json, const Reviewed& reviewed,
                   const Arguments& arguments, const WriteOptions& options, FileSet& set,
                   std::vector<std::string>& notes) {
  Judged& judged = cleaned.judged;
  const std::string& out = arguments.text("out");
  const LabelMatrix before = std::exchange(judged.data.candidates, std::move(cleaned.labels.kept));
  if (const std::size_t changed = apply_decisions(reviewed, judged.data.candidates);
      !reviewed.cells.empty())
    notes.push_back(
        fmt::format("{} labels of rows were decided; {} of them differ from what was judged",
                    reviewed.cells.size(), changed));
  if (is_layout(arguments)) {
    const auto write = is_for_label_studio(arguments) ? write_tasks : write_back;
    return write(
        arguments, judged.data, reviewed,
        {.probabilities = &judged.probabilities, .version = judged.judge, .all_rows = true},
        set.add(FileSystem::real(), out, if_exists(arguments)), notes);
  }
  const TableWriting table = {
      .as_read = true,
      .beside = columns_beside(arguments.list("with"),
                               {judged.data, before, &judged.probabilities, reviewed})};
  if (is_workbook(out, options))
    write_cleaning_workbook(cleaned, json, options, table,
                            set.add(FileSystem::real(), out, if_exists(arguments)));
  else
    write_table(judged.data, out, options, table, set);
  add_lost(notes, judged.data, out, options);
}

// All files appear together. What was written, in words.
std::string save(Cleaned& cleaned, const Json& json, const Reviewed& reviewed,
                 const Arguments& arguments, const WriteOptions& options,
                 std::vector<std::string>& notes) {
  Judged& judged = cleaned.judged;
  const std::string &suspects = arguments.text("suspects"), &out = arguments.text("out");
  FileSet set;
  if (!suspects.empty())
    write_suspects(judged, cleaned.suspects,
                   set.add(FileSystem::real(), suspects, if_exists(arguments)));
  const std::string& missing = arguments.text("missing");
  if (!missing.empty())
    write_missing(judged, set.add(FileSystem::real(), missing, if_exists(arguments)));
  if (!out.empty()) write_cleaned(cleaned, json, reviewed, arguments, options, set, notes);
  set.commit();
  std::string text;
  if (!suspects.empty())
    text += fmt::format("\nwrote {}: {} candidates, the most suspicious first\n", suspects,
                        cleaned.suspects.size());
  if (!missing.empty())
    text += fmt::format("\nwrote {}: {} labels that nobody ticked, the likeliest first\n", missing,
                        judged.missing().size());
  if (!out.empty())
    text += fmt::format(
        "\n{}{} candidates removed; {}\n",
        is_for_label_studio(arguments) ? fmt::format("wrote {}: tasks of Label Studio\n", out)
        : is_layout(arguments)
            ? fmt::format("wrote {}: the annotations as they came, and those of the machine\n", out)
            : written_line(judged.data.shape(), out, options),
        cleaned.labels.removed,
        cleaned.labels.emptied_rows > 0
            ? fmt::format("{} rows are left without a label", cleaned.labels.emptied_rows)
            : fmt::format("{} rows would have lost all and keep their best one",
                          cleaned.labels.rescued_rows));
  return text;
}

CleanRequest cleaning(const Arguments& arguments, const WriteOptions& options) {
  CleanRequest request;
  if (arguments.has("threshold")) request.threshold = arguments.real("threshold");
  if (arguments.has("for"))
    request.best = arguments.text("for") == "f1" ? CleanFor::F1 : CleanFor::Hamming;
  if (!arguments.has("suspects") && !is_workbook(arguments.text("out"), options))
    request.most_suspects = arguments.count("top");
  return request;
}

Report run(const Arguments& arguments) {
  const WriteOptions options = write_options(arguments);
  check_request(arguments, options);
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  Reviewed reviewed;
  Cleaned cleaned = clean(judge(arguments, pool, reviewed, notes), cleaning(arguments, options));
  const Judged& judged = cleaned.judged;
  const Rendered rendered = render_cleaning({.judged = judged,
                                             .ranked = cleaned.suspects,
                                             .cleaned = cleaned.labels,
                                             .quality = cleaned.quality,
                                             .threshold = cleaned.threshold,
                                             .top = arguments.count("top"),
                                             .in_sample = arguments.has("in-sample"),
                                             .missing = arguments.has("missing"),
                                             .exclusive = cleaned.exclusive,
                                             .kept_apart = cleaned.kept_apart});
  Report report{
      .text = rendered.text + save(cleaned, rendered.json, reviewed, arguments, options, notes),
      .json = rendered.json};
  report.notes = std::move(notes);
  if (arguments.has("gold")) report.notes.push_back(kAuditAnew);
  if (judged.union_findings && !arguments.has("gold"))
    report.notes.push_back(
        "systematic mistakes look like real labels; an audit of about 60 cells (sieve audit) "
        "measures the noise");
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
          "With --annotations, who ticked what counts as well: each annotator's habits are\n"
          "learnt, and labels that nobody ticked are found too.",
      .example = "sieve clean crowd.arff --suspects suspects.csv --out cleaned.arff",
      .run = run};
  verb.options = method_options();
  Option& method = *std::ranges::find(verb.options, "method", &Option::key);
  method.help = fmt::format(
      "learning method (default: {}; with annotations a linear regression); see: sieve methods",
      method.default_value);
  method.default_value.clear();
  const std::vector<Option> own = {
      path("out", "write a cleaned copy of the data here"),
      path("suspects", "write every candidate and its probability here, as CSV"),
      path("missing", "write labels that nobody ticked but are likely right here, as CSV"),
      with_option(),
      path("decisions", "what reviewers decided (sieve review) has the last word"),
      path("gold", "cells an expert decided, as CSV with item, label and true, or an audit"),
      choice("truth-means", {"consensus", "expert"},
             "what more annotators would say, or an expert: needs --gold", "consensus"),
      real("threshold",
           "remove candidates less likely right than this (default: 0.5; with votes what is best "
           "for F1, at most 0.5; 0 where names are ignored)",
           0, 1),
      choice("for", {"hamming", "f1"},
             "choose the threshold for the fewest wrong labels, or the largest F1"),
      integer("top", "how many suspects to show", 0, 1e9, "20"),
      integer("folds", "number of folds", 2, 1e6, std::to_string(kDefaultFolds)),
      path("in-sample", "judge by this model instead, even if it has seen the rows"),
      seed_option()};
  for (const auto& more : {own,
                           writing_options(),
                           reading_options("candidates"),
                           annotation_options(),
                           {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  std::vector<std::string>& to = std::ranges::find(verb.options, "to", &Option::key)->choices;
  to.insert(to.end(), layouts_written_back().begin(), layouts_written_back().end());
  return verb;
}

}  // namespace sieve
