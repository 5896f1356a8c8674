#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/format_text.h"
#include "decisions.h"
#include "labelsieve/error.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/predict.h"
#include "labelsieve/prepare.h"
#include "launched.h"
#include "reading.h"
#include "report/rendered.h"
#include "shared_options.h"
#include "terminal_progress.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

// The model comes first: if its folder is missing, no other file should be named.
IfExists for_writable(const Arguments& arguments, const std::string& model,
                      const std::string& checkpoint) {
  check_writable(arguments, model);
  check_not_an_input(arguments, arguments.has("checkpoint") ? checkpoint : model, checkpoint);
  const std::string& log = arguments.text("log");
  if (!log.empty()) check_not_an_input(arguments, log, log);
  return if_exists(arguments);
}

// Where a training writes, all of it found writable before the work.
struct Outputs {
  explicit Outputs(const Arguments& arguments)
      : model(arguments.text("out")),
        checkpoint(arguments.has("checkpoint") ? arguments.text("checkpoint")
                                               : model + ".checkpoint"),
        exists(for_writable(arguments, model, checkpoint)),
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
  const Reviewed reviewed = read_decisions(arguments, data, notes);
  const std::size_t changed = apply_decisions(reviewed, data.candidates);
  data.cells.reset();
  notes.push_back(fmt::format("{} decisions of reviewers are used; {} of them change a label",
                              reviewed.cells.size(), changed));
  return gold_of(reviewed);
}

// Whether gold cells choose thresholds: their rows are then not trained on.
bool promises_by_gold(const Arguments& arguments) {
  return arguments.has("guarantee") && arguments.has("gold");
}

// All rows, or those that are not held out to be measured on or decided.
std::vector<std::size_t> rows_to_learn(const Arguments& arguments, const Dataset& data,
                                       const std::vector<GoldCell>& gold) {
  const std::vector<GoldCell> held = promises_by_gold(arguments) ? gold : std::vector<GoldCell>();
  std::vector<std::size_t> rows = rows_without(held, data.rows());
  if (!arguments.has("validate")) return rows;
  std::vector<std::size_t> both;
  std::ranges::set_intersection(rows, split_of(arguments, data).train, std::back_inserter(both));
  return both;
}

Dataset load(const Arguments& arguments, ThreadPool& pool, std::vector<std::string>& notes,
             std::vector<GoldCell>& gold, std::vector<GoldCell>& decided) {
  ReadOptions options = read_options(arguments, pool, notes);
  options.keep_cells = arguments.has("decisions");
  if (arguments.has("validate") || promises_by_gold(arguments))
    options.learn_from = [&](const Dataset& read) {
      const bool held = promises_by_gold(arguments);
      return rows_to_learn(arguments, read,
                           held ? gold_cells(arguments, read) : std::vector<GoldCell>());
    };
  Dataset data = read_with_texts(arguments, arguments.words(), options);
  decided = use_decisions(arguments, data, notes);
  if (arguments.has("gold")) gold = gold_cells(arguments, data);
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
  std::vector<GoldCell> gold, decided;
  std::shared_ptr<const Features> unlabelled;
};

Prepared prepare(const Arguments& arguments, TrainingRanks& ranks, ThreadPool& pool) {
  Prepared all;
  ranks.together([&] {
    if (ranks.first()) all.outputs = std::make_unique<Outputs>(arguments);
    all.data = load(arguments, pool, all.notes, all.gold, all.decided);
    check_names(*all.data);
    if (arguments.has("unlabelled"))
      all.unlabelled = read_unlabelled({arguments.text("unlabelled")}, *all.data,
                                       read_options(arguments, pool, all.notes));
    if (ranks.first() && all.outputs->resume)
      all.unfinished = load_state(all.outputs->checkpoint, StateKind::Checkpoint);
  });
  all.unfinished = ranks.shared(std::move(all.unfinished));
  return all;
}

Trained train(const Arguments& arguments, const Prepared& prepared, TrainRequest request,
              TrainingRanks& ranks, ThreadPool& pool, Progress& progress) {
  ranks.heed_stop_requests();
  FitOptions& options = request.fit;
  options.seed = static_cast<std::uint64_t>(arguments.integer("seed"));
  options.threads = &pool;
  options.progress = &progress;
  options.team = ranks.team();
  if (prepared.unfinished) options.resume_from = &*prepared.unfinished;
  if (!ranks.first()) return train(*prepared.data, request);
  Outputs& outputs = *prepared.outputs;
  options.checkpoints = &outputs.checkpoints;
  if (outputs.log)
    options.on_epoch = [&](std::size_t epoch, const EpochReport& report) {
      outputs.log->add(epoch, report);
    };
  try {
    return train(*prepared.data, request);
  } catch (const Error& error) {
    if (error.kind() != Failure::Model || !prepared.unfinished) throw;
    throw Error(error.kind(), error.message(), {outputs.checkpoint, 0, 0}, error.hint());
  }
}

// What is promised of the model's predictions. A promise that cannot be made is a failed check: the
// model is written all the same.
std::vector<Guarantee> choose_guarantees(const Arguments& arguments, const Model& model,
                                         const Prepared& prepared, ThreadPool& pool,
                                         Report& report) {
  std::vector<Guarantee> chosen;
  const std::vector<GuaranteeGoal> goals = guarantee_goals(arguments);
  if (goals.empty()) return chosen;
  try {
    const DecidedRows decided = arguments.has("decided")
                                    ? read_decided(arguments, model, pool, report.notes)
                                    : decided_rows(model, *prepared.data, prepared.gold, pool);
    for (const GuaranteeGoal& goal : goals)
      chosen.push_back(guarantee(model, decided, goal, arguments.real("level")));
  } catch (const Error& error) {
    if (error.kind() != Failure::Data) throw;
    report.failed_checks.push_back(fmt::format("nothing is promised: {}{}{}", error.message(),
                                               error.hint().empty() ? "" : "; ", error.hint()));
    chosen.clear();
  }
  return chosen;
}

// The model takes the place of its checkpoints.
std::uint64_t save(const Model& model, const std::vector<Guarantee>& guarantees, Outputs& outputs) {
  const auto write = [&](const ModelState& state) {
    return save_state(state, StateKind::Model, outputs.model, outputs.exists);
  };
  std::optional<ModelState> promising;
  if (!guarantees.empty()) {
    promising = model.state();
    promising->choices.guarantees = guarantees;
  }
  const std::uint64_t bytes = write(promising ? *promising : model.state());
  outputs.checkpoints.remove();
  return bytes;
}

Json::Members facts_of(const Trained& trained, const MethodInfo& method, const Dataset& data,
                       const Outputs& outputs, std::uint64_t bytes) {
  const ModelState& state = trained.model->state();
  return {{"model", outputs.model},
          {"method", method.name},
          {"oracle", method.oracle},
          {"rows", trained.rows},
          {"features", data.features.cols()},
          {"labels", data.labels()},
          {"bytes", bytes},
          {"resumed", outputs.resume},
          {"options", json_texts(state.options)},
          {"notes", json_texts(state.notes)}};
}

// Measures on rows the model has not seen, as text and JSON for the report.
void validate(const Model& model, const Dataset& data, const std::vector<std::size_t>& held,
              ThreadPool& pool, Report& report, Json::Members& json) {
  const Matrix scores =
      ask_of_rows(held, [&] { return model.scores(data.features.subset(held), pool); });
  const LabelMatrix decisions = model.decide(scores);
  const auto add = [&](const LabelMatrix& all, const std::string& key, const char* title) {
    const Rendered taken = render_measures(
        evaluate(all.select_rows(held), {.scores = &scores, .decisions = &decisions}));
    report.text += fmt::format("\n{} held-out rows against {}\n{}", held.size(), title, taken.text);
    json.emplace_back(key, taken.json);
  };
  if (data.truth) add(*data.truth, "held_out_truth", "the truth");
  add(data.candidates, "held_out_candidates", "their candidates");
}

void check_guarantee(const Arguments& arguments) {
  if (guarantee_goals(arguments).empty()) return;
  if (arguments.has("gold") == arguments.has("decided"))
    throw usage_error("--guarantee needs rows that were decided and are not trained on",
                      "give either --gold (their rows are held out) or --decided");
}

Report run(const Arguments& arguments) {
  if (!arguments.has("out")) throw usage_error("--out is needed", "e.g. --out crowd.model");
  const MethodInfo& method = chosen_method(arguments);
  method_settings(arguments);
  check_guarantee(arguments);
  if (arguments.has("unlabelled") && !method.uses_unlabelled)
    throw usage_error("the method '" + method.name + "' cannot learn from rows without labels",
                      "leave --unlabelled out, or use blend");
  TrainingRanks ranks(arguments, method);
  ThreadPool pool(arguments.count("threads"));
  TerminalProgress bar(ProgressOutput::standard_error(arguments, !ranks.first()));
  WorkProgress progress(bar);
  progress.part("Read", kReadShare);
  const Prepared prepared = prepare(arguments, ranks, pool);
  const Dataset& data = *prepared.data;
  Split split;
  if (arguments.has("validate")) split = split_of(arguments, data);
  TrainRequest request{.method = method.name,
                       .settings = method_settings(arguments).values(),
                       .decided = prepared.decided,
                       .unlabelled = prepared.unlabelled};
  const bool held = promises_by_gold(arguments);
  if (!held) request.gold = prepared.gold;
  if (held || arguments.has("validate"))
    request.rows = rows_to_learn(arguments, data, prepared.gold);
  const StopRequests noted;  // until there is a checkpoint, or the model is written
  const Trained trained =
      train(arguments, prepared, std::move(request), ranks, pool, progress.part("Learn", 1));
  bar.clear();
  if (!ranks.first()) return {.silent = true};
  const Model& model = *trained.model;
  Outputs& outputs = *prepared.outputs;
  Report report{.notes = prepared.notes};
  const std::vector<Guarantee> guarantees =
      choose_guarantees(arguments, model, prepared, pool, report);
  const std::uint64_t bytes = save(model, guarantees, outputs);

  report.text = fmt::format("wrote {}: {} of {} rows, {} features and {} labels, {}\n",
                            outputs.model, method.title, trained.rows, data.features.cols(),
                            data.labels(), bytes_text(bytes));
  Json::Members json = facts_of(trained, method, data, outputs, bytes);
  const auto& notes = model.state().notes;
  if (const auto kept = notes.find("kept"); kept != notes.end())
    report.text += "kept: " + kept->second + "\n";
  if (prepared.unlabelled) {
    report.text +=
        fmt::format("learnt from {} rows without labels as well\n", prepared.unlabelled->rows());
    json.emplace_back("unlabelled_rows", prepared.unlabelled->rows());
  }
  if (trained.likely)
    report.text +=
        fmt::format("learnt from {} labels that votes and features make likely; {} were ticked\n",
                    *trained.likely, trained.candidates);
  if (!trained.names_ignored.empty()) {
    report.notes.push_back("names are ignored: " + trained.names_ignored +
                           "; learnt from what anybody ticked");
    json.emplace_back("names_ignored", trained.names_ignored);
  }
  if (method.oracle)
    report.text += "an oracle: it has learnt from the truth, not from candidates\n";
  if (arguments.has("validate")) validate(model, data, split.test, pool, report, json);
  if (arguments.flag("resume") && !outputs.resume)
    report.notes.push_back("no checkpoint to resume from: trained from the start");
  if (data.recipe)
    for (const std::string& note : notes_on(*data.recipe)) report.notes.push_back(note);
  std::vector<Json> promised;
  for (const Guarantee& each : guarantees) {
    const Rendered rendered = render_guarantee(each, data.label_names);
    report.text += "\n" + rendered.text;
    promised.push_back(rendered.json);
  }
  if (arguments.has("guarantee")) json.emplace_back("guarantees", Json::array(promised));
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
          "was killed, and ends with exactly the same model. With --annotations,\n"
          "the votes are weighed first, and there is no checkpoint before that is done. Under\n"
          "mpirun the ranks share every batch; 1, 2 and 4 of them give the same model for the\n"
          "same parts of a batch (--set parts=4), and --resume continues with any number of them.\n"
          "Cells of --gold are learnt as they are, and correct what votes say (--annotations).\n"
          "With --guarantee their rows are held out instead: thresholds chosen by them keep the\n"
          "promise, and predict can use them.",
      .example = "sieve train crowd.arff --out crowd.model --set epochs=10 --validate 0.2",
      .run = run};
  verb.options = method_options();
  const std::vector<Option> own = {
      path("out", "the model file to write"),
      path("unlabelled",
           "rows nobody annotated, with the same columns: blend learns from them, too"),
      real("validate", "share of the rows to hold out and measure on", 0.000001, 0.999999),
      seed_option(),
      path("gold", "cells an expert decided, as CSV with item, label and true; see above"),
      path("log", "write every epoch's report here, one JSON object per line"),
      path("checkpoint", "checkpoint file (default: beside the model)"),
      real("checkpoint-every", "seconds between checkpoints (0 = one per epoch)", 0, 1e9, "30"),
      flag("resume", "continue from the checkpoint if there is one"),
      path("decisions", "what reviewers decided (sieve review) takes the place of the labels"),
      rank_timeout_option(),
      force_option()};
  for (const auto& more :
       {own,
        guarantee_options("promises to keep thresholds for, as in precision=0.9,recall=0.9"),
        reading_options("candidates"),
        annotation_options(),
        {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
