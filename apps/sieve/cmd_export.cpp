#include <memory>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/model_io.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  const std::string &from = arguments.words()[0], &to = arguments.words()[1];
  if (!to.ends_with(".onnx"))
    throw usage_error("'" + to + "' does not end in .onnx", "name the output model.onnx");
  check_not_an_input(arguments, to, to);
  const std::unique_ptr<Model> model = load_model(from);
  const ModelState& state = model->state();
  const std::size_t labels = state.label_names.size();
  const std::uint64_t bytes = export_onnx(*model, to, if_exists(arguments));
  return {.text = fmt::format("wrote {}: {}, {} features, {} labels, {}\n", to, state.method,
                              state.features, labels, bytes_text(bytes)),
          .json = Json::object({{"out", to},
                                {"method", state.method},
                                {"features", state.features},
                                {"labels", labels},
                                {"bytes", bytes}})};
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
                "blends can be written; kernels, columns of text and of categories cannot.",
            .example = "sieve export crowd.model crowd.onnx",
            .run = run};
  verb.options = {force_option()};
  return verb;
}

}  // namespace sieve
