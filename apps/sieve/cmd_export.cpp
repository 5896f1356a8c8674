#include <memory>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/model_io.h"
#include "labelsieve/predict.h"
#include "reading.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

constexpr double kMostApart = 1e-5;

// Compares both on the rows of --check.
void check(const Arguments& arguments, const Model& model, Report& report, Json::Members& json) {
  ThreadPool pool(arguments.count("threads"));
  ReadOptions options = read_options(arguments, pool, report.notes);
  options.labels.optional = true;
  options.known_features = model.state().feature_names;
  options.recipe = model.state().recipe;
  const Features rows = features_for(model, read_dataset({arguments.text("check")}, options));
  const OnnxDifference apart = compare_with_onnx(model, rows, pool);
  report.text += fmt::format(
      "{}: {} rows, largest difference of a score {:.1e}, {}\n", arguments.text("check"),
      rows.rows(), apart.scores,
      apart.labels == 0 ? "the same labels" : fmt::format("{} other labels", apart.labels));
  json.emplace_back("rows", rows.rows());
  json.emplace_back("largest_difference", apart.scores);
  json.emplace_back("other_labels", apart.labels);
  if (!(apart.scores <= kMostApart))
    report.failed_checks.push_back(
        fmt::format("the scores of the ONNX file are {:.1e} from those of the model, more than "
                    "{:.0e}",
                    apart.scores, kMostApart));
}

Report run(const Arguments& arguments) {
  const std::string &from = arguments.words()[0], &to = arguments.words()[1];
  if (!to.ends_with(".onnx"))
    throw usage_error("'" + to + "' does not end in .onnx", "name the output model.onnx");
  check_not_an_input(arguments, to, to);
  const std::unique_ptr<Model> model = load_model(from);
  const ModelState& state = model->state();
  const std::size_t labels = state.label_names.size();
  const std::uint64_t bytes = export_onnx(*model, to, if_exists(arguments));
  Report report{.text = fmt::format("wrote {}: {}, {} features, {} labels, {}\n", to, state.method,
                                    state.features, labels, bytes_text(bytes))};
  Json::Members json = {{"out", to},
                        {"method", state.method},
                        {"features", state.features},
                        {"labels", labels},
                        {"bytes", bytes}};
  if (arguments.has("check")) check(arguments, *model, report, json);
  report.json = Json::object(json);
  return report;
}

}  // namespace

Verb export_verb() {
  Verb verb{.name = "export",
            .summary = "write a model as an ONNX file, for other runtimes",
            .arguments = "MODEL OUT.onnx",
            .least_words = 2,
            .most_words = 2,
            .details =
                "The file takes rows of numbers as `features` and gives `scores` and `labels`\n"
                "(1 where the model decides for a label). Linear methods, networks, forests and\n"
                "blends can be written; kernels, columns of text and of categories cannot.\n"
                "--check computes the file step by step on some rows, and ends with exit code 8\n"
                "where its scores are more than 1e-5 from those of the model.",
            .example = "sieve export crowd.model crowd.onnx --check new.csv",
            .run = run};
  verb.options = {path("check", "compare both on the rows of this data set"), force_option()};
  const std::vector<Option> reading = reading_options("candidates");
  verb.options.insert(verb.options.end(), reading.begin(), reading.end());
  return verb;
}

}  // namespace sieve
