#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/data_io.h"
#include "labelsieve/model_io.h"
#include "labelsieve/predict.h"
#include "reading.h"
#include "report/pages.h"
#include "terminal_progress.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

void check_request(const Arguments& arguments) {
  if (!arguments.has("out")) throw usage_error("--out is needed", "e.g. --out report.html");
  const bool store = !arguments.words().empty();
  for (const char* needed : {"model", "data"})
    if (!store && !arguments.has(needed))
      throw usage_error(fmt::format("--{} is needed", needed),
                        "give --model and --data of a training, or the store of an experiment");
  for (const char* other : {"only", "measures", "control"})
    if (!store && arguments.has(other))
      throw usage_error(fmt::format("--{} belongs to an experiment", other),
                        "give the store of one, or leave it out");
  for (const char* other : {"model", "data", "test", "log", "folds"})
    if (store && arguments.has(other))
      throw usage_error(fmt::format("--{} belongs to a training, not to a store", other),
                        "leave one of them out");
}

// By models that have not seen the rows, if asked to train them; by people's votes; else by the
// model.
Judged judge(Dataset data, const Model& model, const Arguments& arguments, ThreadPool& pool) {
  if (arguments.has("folds")) {
    const ModelState& state = model.state();
    order_labels(data, state.label_names);
    TerminalProgress bar(ProgressOutput::standard_error(arguments));
    WorkProgress progress(bar);
    return judge(std::move(data),
                 {.method = state.method,
                  .settings = state.options,
                  .folds = arguments.count("folds"),
                  .fit = {.threads = &pool, .progress = &progress.part("Learn", 1)}});
  }
  if (data.votes && overlap_of(*data.votes).identifies_annotators()) {
    order_labels(data, model.state().label_names);
    return judge(std::move(data), {.fit = {.threads = &pool}});
  }
  return judge(std::move(data),
               {.model = &model, .name = arguments.text("model"), .fit = {.threads = &pool}});
}

std::string report_training(const Arguments& arguments, std::vector<std::string>& notes) {
  ThreadPool pool(arguments.count("threads"));
  const std::unique_ptr<Model> model = load_model(arguments.text("model"));
  TrainingRun run{.model = model->state(),
                  .model_path = arguments.text("model"),
                  .data_path = arguments.text("data")};
  if (arguments.has("log")) run.history = read_epoch_log(arguments.text("log"));
  ReadOptions options = read_options(arguments, pool, notes);
  options.recipe = run.model.recipe;
  options.keep_cells = true;  // texts are shown
  run.trained = judge(read_ticked(arguments, {run.data_path}, options), *model, arguments, pool);
  if (arguments.has("test")) {
    run.test = read_dataset({arguments.text("test")}, options);
    order_labels(*run.test, run.model.label_names);
  }
  Prediction said = predict(*model, run.measured(), pool);
  run.scores = std::move(said.scores);
  run.decisions = std::move(said.labels);
  return training_page(run, arguments.count("top"));
}

#ifdef LABELSIEVE_STUDIES
std::string report_experiment(const Arguments& arguments) {
  const StoredResults stored = read_results(arguments.words().front());
  return experiment_page(stored, compare(stored, {.only = arguments.list("only"),
                                                  .measures = arguments.list("measures"),
                                                  .control = arguments.text("control")}));
}
#else
std::string report_experiment(const Arguments&) {
  throw usage_error("this sieve was built without experiments",
                    "build it with -DLABELSIEVE_STUDIES=ON");
}
#endif

Report run(const Arguments& arguments) {
  check_request(arguments);
  check_not_an_input(arguments, arguments.text("out"), arguments.text("out"));
  FileSet set;
  OutputStream& file = set.add(FileSystem::real(), arguments.text("out"), if_exists(arguments));
  std::vector<std::string> notes;
  const std::string page =
      arguments.words().empty() ? report_training(arguments, notes) : report_experiment(arguments);
  file.write(page);
  set.commit();
  return {.text = fmt::format("wrote {}: {}\n", arguments.text("out"), bytes_text(page.size())),
          .json = Json::object({{"report", arguments.text("out")}, {"bytes", page.size()}}),
          .notes = std::move(notes)};
}

}  // namespace

Verb report_verb() {
  Verb verb{.name = "report",
            .summary = "write an HTML report about a training or an experiment",
            .arguments = "[STORE]",
            .most_words = 1,
            .details =
                "Of a training: give --model, and the --data it learnt from; --log adds learning\n"
                "curves and --test measures on other rows. Of an experiment: give its store.\n"
                "The page is one file that needs no network.",
            .example = "sieve report --model crowd.model --data crowd.arff --out report.html",
            .run = run};
  verb.options = {
      path("out", "the HTML file to write"),
      path("model", "the model of a training"),
      path("data", "the data it was trained on"),
      path("test", "rows it has not seen, to measure on"),
      path("log", "what sieve train --log wrote"),
      integer("folds", "train again on N folds, to judge every row by a model that has not seen it",
              2, 1e6),
      integer("top", "how many suspicious candidates to list", 0, 1e6, "50"),
      text("only", "WORDS", "experiment: what to show, as in sieve experiment"),
      text("measures", "LIST", "experiment: measures (default: those of the plan)"),
      text("control", "METHOD", "experiment: reference method for the t-tests"),
      force_option()};
  for (const auto& more : {reading_options("candidates"), annotation_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
