#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "base/format_text.h"
#include "base/table.h"
#include "experiment/experiment.h"
#include "experiment/grid.h"
#include "launched.h"
#include "terminal_progress.h"
#include "verbs.h"

namespace sieve {
namespace {

ExperimentOptions request(const Arguments& arguments) {
  if (!arguments.has("data"))
    throw usage_error(
        "--data is needed: the folder that holds the data sets, each in a folder "
        "of its own or as a file");
  ExperimentOptions options;
  options.plan = arguments.words().front();
  options.data_folder = arguments.text("data");
  options.store = arguments.has("store")
                      ? arguments.text("store")
                      : std::filesystem::path(options.plan).stem().string() + ".db";
  options.known = arguments.text("known");
  options.only = arguments.list("only");
  if (arguments.has("limit")) options.limit = arguments.count("limit");
  options.retry_failed = arguments.flag("retry-failed");
  if (arguments.flag("extend")) options.if_other = IfOther::Extend;
  options.jobs = arguments.count("jobs");
  return options;
}

std::string counted(std::size_t count, const std::string& what) {
  return count == 0 ? "" : fmt::format("{} {}\n", count, what);
}

// What was asked for and is not going to be done now: never left out without a word.
std::string left_out_text(const Agenda& agenda) {
  std::string text =
      counted(agenda.done_before, "tasks were done before") +
      counted(agenda.taken_over.size(), "results were taken over: they still hold") +
      counted(agenda.outdated,
              "earlier results no longer hold: the data, the method or its options changed") +
      counted(agenda.failed_before, "tasks failed before (--retry-failed tries them again)") +
      counted(agenda.over_limit, "tasks are left for later by --limit") +
      fmt::format("{}{}", fmt::join(agenda.other_shapes, "\n"),
                  agenda.other_shapes.empty() ? "" : "\n") +
      counted(agenda.without_data, "tasks have no data:");
  for (const AbsentSet& set : agenda.data.absent)
    text += fmt::format("  {}: {}. {}\n", set.name, set.why, set.get);
  return text;
}

Json::Members left_out_json(const Agenda& agenda) {
  std::vector<Json> absent;
  for (const AbsentSet& set : agenda.data.absent)
    absent.push_back(Json::object({{"data_set", set.name}, {"why", set.why}, {"get", set.get}}));
  const std::vector<Json> shapes(agenda.other_shapes.begin(), agenda.other_shapes.end());
  return {{"plan", agenda.plan.info.title},         {"plan_hash", agenda.plan.info.hash},
          {"planned", agenda.plan.tasks.size()},    {"done_before", agenda.done_before},
          {"taken_over", agenda.taken_over.size()}, {"outdated", agenda.outdated},
          {"failed_before", agenda.failed_before},  {"over_limit", agenda.over_limit},
          {"without_data", agenda.without_data},    {"absent", Json::array(absent)},
          {"other_shapes", Json::array(shapes)}};
}

Report show_agenda(const Agenda& agenda, std::size_t jobs) {
  TextTable table({"task", "about"}, {Align::Left, Align::Right});
  std::vector<Json> tasks;
  double seconds = 0, longest = 0;
  for (const Task& task : agenda.todo) {
    const double guess = agenda.estimate.seconds(task);
    seconds += guess;
    longest = std::max(longest, guess);
    table.add({task.key, clock_text(guess)});
    tasks.push_back(Json::object({{"task", task.key}, {"seconds", guess}}));
  }
  const double wall = std::max(longest, seconds / static_cast<double>(jobs));
  Json::Members json = left_out_json(agenda);
  json.insert(json.end(), {{"todo", Json::array(tasks)}, {"seconds", wall}});
  return {.text = (agenda.todo.empty() ? "" : table.text() + "\n") +
                  fmt::format("{} tasks to do, about {} with {} at a time\n", agenda.todo.size(),
                              clock_text(wall), jobs) +
                  left_out_text(agenda),
          .json = Json::object(json)};
}

Report show_tally(const Agenda& agenda, const Tally& tally, const ExperimentOptions& options,
                  std::size_t ranks) {
  const std::size_t jobs = options.jobs * ranks;
  const double busy =
      tally.task_seconds / std::max(tally.wall_seconds * static_cast<double>(jobs), 1e-9);
  Report report{.text =
                    fmt::format("{} tasks done and {} failed in {}; {} at a time, {} busy; "
                                "the results are in {}\n",
                                tally.done, tally.failures.size(), clock_text(tally.wall_seconds),
                                jobs, percent_text(busy), options.store) +
                    left_out_text(agenda)};
  std::vector<Json> failures;
  for (const Result& failure : tally.failures) {
    report.failed_checks.push_back(failure.task.key + " failed: " + failure.reason);
    failures.push_back(Json::object({{"task", failure.task.key}, {"reason", failure.reason}}));
  }
  if (agenda.failed_before != 0)
    report.failed_checks.push_back(fmt::format(
        "{} tasks failed before; --retry-failed tries them again", agenda.failed_before));
  report.failed_as = Failure::Training;
  Json::Members json = left_out_json(agenda);
  json.insert(json.end(), {{"store", options.store},
                           {"done", tally.done},
                           {"failures", Json::array(failures)},
                           {"jobs", jobs},
                           {"ranks", ranks},
                           {"wall_seconds", tally.wall_seconds},
                           {"task_seconds", tally.task_seconds}});
  report.json = Json::object(json);
  return report;
}

Report run_alone(ExperimentOptions options, bool dry_run, Progress& progress) {
  if (options.jobs == 0) options.jobs = std::max(1U, std::thread::hardware_concurrency());
  Agenda agenda = make_agenda(options);
  if (dry_run) return show_agenda(agenda, options.jobs);
  const std::unique_ptr<Crew> crew = fork_crew(options.jobs, agenda.data.ready);
  const Tally tally = run_experiment(agenda, options, *crew, progress);
  return show_tally(agenda, tally, options, 1);
}

Report run_on_grid(const ExperimentOptions& options, GridPlace place, Progress& progress) {
  if (place.rank != 0) {
    work_on_grid(options, place.rank, place.invitation);
    return {.silent = true};
  }
  Agenda agenda = make_agenda(options);
  const std::size_t ranks = place.ranks;
  const GridTally done = lead_grid(agenda, options, std::move(place), progress);
  Report report = show_tally(agenda, done.tally, options, ranks);
  report.notes = done.notes;
  return report;
}

Report run(const Arguments& arguments) {
  ExperimentOptions options = request(arguments);
  const StopRequests noted;
  ProgressOutput output = ProgressOutput::standard_error(arguments);
  output.notes = true;  // how many tasks
  TerminalProgress progress(std::move(output));
  std::optional<GridPlace> place = launched_grid();
  if (!place) return run_alone(options, arguments.flag("dry-run"), progress);
  if (arguments.flag("dry-run"))
    return place->rank == 0 ? run_alone(options, true, progress) : Report{.silent = true};
  options.jobs = std::max<std::size_t>(options.jobs, 1);  // a rank is started for every core
  return run_on_grid(options, std::move(*place), progress);
}

}  // namespace

Verb experiment_verb() {
  Verb verb{
      .name = "experiment",
      .summary = "run a plan: data sets x noise x methods x repeats",
      .arguments = "PLAN",
      .least_words = 1,
      .most_words = 1,
      .details =
          "Every result is kept as soon as it is known. After Ctrl-C, a crash or a kill the\n"
          "same command continues where it stopped, without repeating what is done. A task that\n"
          "fails is recorded with its reason, and the others go on (exit code 6 at the end).\n"
          "Results whose data and method have changed since are run again.\n"
          "--only takes data sets, noise variants, methods, seed-N, parts of a task's key\n"
          "such as yeast/fill-10, and main: the first noise level of every data set.\n"
          "Under mpirun or srun the tasks are shared by all ranks; see docs/cluster.md.",
      .example = "sieve experiment plans/quick.toml --data sets --store quick.db",
      .run = run};
  verb.options = {
      path("data", "the folder of the data sets"),
      path("store", "result store (default: PLAN.db in this folder)"),
      path("known", "results to take over as far as they still hold: a store or a file of results"),
      text("only", "WORDS", "tasks to run, separated by commas; words as in their keys"),
      integer("limit", "run at most N tasks now", 0, 1e9),
      flag("retry-failed", "run failed tasks again"),
      flag("dry-run", "only list the tasks and how long they may take"),
      flag("extend", "add these tasks to a store of another plan"),
      integer("jobs", "tasks at a time (0 = one per core; under mpirun, one per rank)", 0, 10000,
              "0")};
  return verb;
}

}  // namespace sieve
