#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/checkpoints.h"
#include "labelsieve/epoch_log.h"
#include "labelsieve/judging.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "labelsieve/prepare.h"
#include "labelsieve/review.h"
#include "method_choice.h"
#include "reading.h"
#include "report/told.h"
#include "terminal_progress.h"
#include "training_ranks.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

// The model comes first: if its folder is missing, no other file should be named.
IfExists for_writable(const std::string& model, IfExists exists) {
  check_writable(model, exists);
  return exists;
}

// Where a training writes, all of it found writable before the work.
struct Outputs {
  explicit Outputs(const Arguments& arguments)
      : model(arguments.text("out")),
        checkpoint(arguments.has("checkpoint") ? arguments.text("checkpoint")
                                               : model + ".checkpoint"),
        exists(for_writable(model, if_exists(arguments))),
        checkpoints(checkpoint, arguments.real("checkpoint-every")),
        resume(arguments.flag("resume") && FileSystem::real().exists(checkpoint)) {
    if (!resume && exists == IfExists::Refuse && FileSystem::real().exists(checkpoint))
      throw Error(Failure::Io, "an unfinished training left this checkpoint", {checkpoint, 0, 0},
                  "continue with --resume, or replace it with --force");
    if (arguments.has("log"))
      log = std::make_unique<EpochLog>(arguments.text("log"), resume ? EpochLog::Open::Append
                                                              : exists == IfExists::Replace
                                                                  ? EpochLog::Open::Replace
                                                                  : EpochLog::Open::New);
  }

  std::string model, checkpoint;
  IfExists exists;
  FileCheckpoints checkpoints;
  bool resume;
  std::unique_ptr<EpochLog> log;
};

Split split_of(const Arguments& arguments, const Dataset& data) {
  return split_stratified(data.candidates, arguments.real("validate"),
                          static_cast<std::uint64_t>(arguments.integer("seed")));
}

// What reviewers decided takes the place of what the data say.
std::vector<GoldCell> use_decisions(const Arguments& arguments, Dataset& data,
                                    std::vector<std::string>& notes) {
  if (!arguments.has("decisions")) return {};
  const Reviewed reviewed = read_reviewed(arguments.text("decisions"), data);
  const std::size_t changed = apply_decisions(reviewed, data.candidates);
  notes.push_back(fmt::format("{} decisions of reviewers are used; {} of them change a label",
                              reviewed.cells.size(), changed));
  if (reviewed.strangers > 0)
    notes.push_back(fmt::format("{} decisions are about rows or labels that the data do not have",
                                reviewed.strangers));
  return gold_of(reviewed);
}

Dataset load(const Arguments& arguments, ThreadPool& pool, std::vector<std::string>& notes,
             std::vector<GoldCell>& decided) {
  ReadOptions options = read_options(arguments, pool, notes);
  if (arguments.has("validate"))
    options.learn_from = [&](const Dataset& data) { return split_of(arguments, data).train; };
  Dataset data = read_ticked(arguments, arguments.words(), options);
  decided = use_decisions(arguments, data, notes);
  if (arguments.has("gold")) {
    if (!data.votes)
      throw usage_error("--gold needs to know who ticked what", "give the ticks with --ticks");
    const std::vector<GoldCell> gold = read_gold(arguments.text("gold"), data);
    decided.insert(decided.end(), gold.begin(), gold.end());
  }
  const MethodInfo& method = chosen_method(arguments);
  if (!method.oracle) return data;
  if (!data.truth)
    throw Error(Failure::Data,
                "the method '" + method.name +
                    "' is an oracle: it learns from the true labels, "
                    "which this set does not have",
                {data.name, 0, 0}, "give them with --truth or --labels-are truth");
  data.candidates = data.truth->clone();
  return data;
}

// Better known before the training than after it.
void check_names(const Dataset& data) {
  ModelState state;
  state.feature_names = data.feature_names;
  state.label_names = data.label_names;
  state.recipe = data.recipe;
  encode_state(state, StateKind::Model);
}

// What all ranks need before they can train together.
struct Prepared {
  std::unique_ptr<Outputs> outputs;  // of the first rank
  std::optional<Dataset> data;
  std::optional<ModelState> unfinished;
  std::vector<std::string> notes;
  std::vector<GoldCell> decided;
};

Prepared prepare(const Arguments& arguments, TrainingRanks& ranks, ThreadPool& pool) {
  Prepared all;
  ranks.together([&] {
    if (ranks.first()) all.outputs = std::make_unique<Outputs>(arguments);
    all.data = load(arguments, pool, all.notes, all.decided);
    check_names(*all.data);
    if (ranks.first() && all.outputs->resume)
      all.unfinished = load_state(all.outputs->checkpoint, StateKind::Checkpoint);
  });
  all.unfinished = ranks.shared(std::move(all.unfinished));
  return all;
}

std::unique_ptr<Model> fit(const Arguments& arguments, const TrainingData& data,
                           const Prepared& prepared, TrainingRanks& ranks, ThreadPool& pool) {
  const std::unique_ptr<Learner> learner =
      chosen_method(arguments).make(method_settings(arguments));
  TerminalProgress progress(
      ProgressOutput::standard_error(arguments.flag("quiet") || !ranks.first()));
  ranks.heed_stop_requests();
  FitOptions options;
  options.seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  options.threads = &pool;
  options.progress = &progress;
  options.team = ranks.team();
  if (prepared.unfinished) options.resume_from = &*prepared.unfinished;
  if (!ranks.first()) return learner->fit(data, options);
  Outputs& outputs = *prepared.outputs;
  options.checkpoints = &outputs.checkpoints;
  if (outputs.log)
    options.on_epoch = [&](std::size_t epoch, const EpochReport& report) {
      outputs.log->add(epoch, report);
    };
  try {
    return learner->fit(data, options);
  } catch (const Error& error) {
    if (error.kind() != Failure::Model || !prepared.unfinished) throw;
    throw Error(error.kind(), error.message(), {outputs.checkpoint, 0, 0}, error.hint());
  }
}

// Where it is known who ticked what, how likely that makes each label takes the candidates' place.
TrainingData believed(TrainingData rows, const std::vector<GoldCell>& decided,
                      const Arguments& arguments, bool quiet, ThreadPool& pool) {
  if (!rows.votes || chosen_method(arguments).oracle) return rows;
  constexpr std::size_t folds = 5;
  TerminalProgress progress(ProgressOutput::standard_error(quiet));
  FitOptions options;
  options.seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  options.threads = &pool;
  options.progress = &progress;
  return labels_by_votes(rows, *chosen_method(arguments).make(method_settings(arguments)), folds,
                         options, decided);
}

// The same cells where only these rows are left.
std::vector<GoldCell> among(const std::vector<std::size_t>& rows, std::size_t all,
                            std::vector<GoldCell> cells) {
  std::vector<std::size_t> place(all, all);
  for (std::size_t k = 0; k < rows.size(); ++k) place[rows[k]] = k;
  std::erase_if(cells, [&](const GoldCell& cell) { return place[cell.row] == all; });
  for (GoldCell& cell : cells) cell.row = static_cast<std::uint32_t>(place[cell.row]);
  return cells;
}

// The model takes the place of its checkpoints.
std::uint64_t save(const Model& model, Outputs& outputs) {
  const std::uint64_t bytes =
      save_state(model.state(), StateKind::Model, outputs.model, outputs.exists);
  outputs.checkpoints.remove();
  return bytes;
}

Json::Members facts_of(const Model& model, const MethodInfo& method, const TrainingData& rows,
                       const Outputs& outputs, std::uint64_t bytes) {
  return {{"model", outputs.model},
          {"method", method.name},
          {"oracle", method.oracle},
          {"rows", rows.rows()},
          {"features", rows.features.cols()},
          {"labels", rows.labels()},
          {"bytes", bytes},
          {"resumed", outputs.resume},
          {"options", json_texts(model.state().options)},
          {"notes", json_texts(model.state().notes)}};
}

// Measures on rows the model has not seen, as text and JSON for the report.
void validate(const Model& model, const Dataset& data, const std::vector<std::size_t>& held,
              ThreadPool& pool, Report& report, Json::Members& json) {
  const Matrix scores = model.scores(data.features.subset(held), pool);
  const LabelMatrix decisions = model.decide(scores);
  const auto add = [&](const LabelMatrix& all, const std::string& key, const char* title) {
    const Told taken =
        tell_measures(evaluate<float>(&scores, &decisions, nullptr, all.select_rows(held)));
    report.text += fmt::format("\n{} held-out rows against {}\n{}", held.size(), title, taken.text);
    json.emplace_back(key, taken.json);
  };
  if (data.truth) add(*data.truth, "held_out_truth", "the truth");
  add(data.candidates, "held_out_candidates", "their candidates");
}

Report run(const Arguments& arguments) {
  if (!arguments.has("out")) throw usage_error("--out is needed", "e.g. --out crowd.model");
  const MethodInfo& method = chosen_method(arguments);
  method_settings(arguments);
  TrainingRanks ranks(arguments, method);
  ThreadPool pool(arguments.count("threads"));
  const Prepared prepared = prepare(arguments, ranks, pool);
  const Dataset& data = *prepared.data;
  Split split;
  if (arguments.has("validate")) split = split_of(arguments, data);
  TrainingData rows = training_data(data);
  std::vector<GoldCell> decided = prepared.decided;
  if (arguments.has("validate")) {
    rows = rows.subset(split.train);
    decided = among(split.train, data.rows(), std::move(decided));
  }
  const std::size_t candidates = rows.candidates.count();
  rows = believed(std::move(rows), decided, arguments, arguments.flag("quiet") || !ranks.first(),
                  pool);
  const StopRequests noted;  // until there is a checkpoint, or the model is written
  const std::unique_ptr<Model> model = fit(arguments, rows, prepared, ranks, pool);
  if (!ranks.first()) return {.silent = true};
  Outputs& outputs = *prepared.outputs;
  const std::uint64_t bytes = save(*model, outputs);

  Report report{.text = fmt::format("wrote {}: {} of {} rows, {} features and {} labels, {}\n",
                                    outputs.model, method.title, rows.rows(), rows.features.cols(),
                                    rows.labels(), bytes_text(bytes)),
                .notes = prepared.notes};
  Json::Members json = facts_of(*model, method, rows, outputs, bytes);
  const auto& notes = model->state().notes;
  if (const auto kept = notes.find("kept"); kept != notes.end())
    report.text += "kept: " + kept->second + "\n";
  if (rows.beliefs)
    report.text +=
        fmt::format("learnt from {} labels that votes and features make likely; {} were ticked\n",
                    rows.candidates.count(), candidates);
  if (method.oracle)
    report.text += "an oracle: it has learnt from the truth, not from candidates\n";
  if (arguments.has("validate")) validate(*model, data, split.test, pool, report, json);
  if (arguments.flag("resume") && !outputs.resume)
    report.notes.push_back("no checkpoint to resume from: trained from the start");
  if (data.recipe)
    for (const std::string& note : notes_on(*data.recipe)) report.notes.push_back(note);
  report.json = Json::object(json);
  return report;
}

}  // namespace

Verb train_verb() {
  Verb verb{
      .name = "train",
      .summary = "learn a model from candidate labels",
      .arguments = "IN...",
      .least_words = 1,
      .most_words = 1000,
      .details =
          "Only features and candidates reach the method, never the truth (a method that is\n"
          "an oracle is the exception, and says so). Ctrl-C writes a checkpoint and exits\n"
          "with 7; --resume continues there, or from the last checkpoint of a run that\n"
          "was killed, and ends with exactly the same model. Under mpirun the ranks share every\n"
          "batch; 1, 2 and 4 of them give the same model for the same parts of a batch\n"
          "(--set parts=4), and --resume continues with any number of them.",
      .example = "sieve train crowd.arff --out crowd.model --set epochs=10 --validate 0.2",
      .run = run};
  verb.options = method_options();
  const std::vector<Option> own = {
      path("out", "the model file to write"),
      real("validate", "share of the rows to hold out and measure on", 0.000001, 0.999999),
      seed_option(),
      path("gold", "with --ticks: cells an expert decided, as CSV with item, label and true"),
      path("log", "write every epoch's report here, one JSON object per line"),
      path("checkpoint", "checkpoint file (default: beside the model)"),
      real("checkpoint-every", "seconds between checkpoints (0 = one per epoch)", 0, 1e9, "30"),
      flag("resume", "continue from the checkpoint if there is one"),
      path("decisions", "what reviewers decided (sieve review) takes the place of the labels"),
      rank_timeout_option(),
      force_option()};
  for (const auto& more : {own, reading_options("candidates"), ticks_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
