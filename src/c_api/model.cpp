#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "c_api/boundary.h"
#include "c_api/handles.h"
#include "labelsieve/error.h"
#include "labelsieve/model_io.h"
#include "labelsieve/predict.h"
#include "linalg/paging.h"
#include "report/rendered.h"

namespace sieve {

namespace {

// A model of bytes that were checked, by the method that wrote them.
std::unique_ptr<const Model> model_of(ModelState state) {
  const MethodInfo& method = method_info(state.method);
  return method.load(std::move(state));
}

// Scores, decisions and probabilities of some rows, put where the caller wants them.
struct Answers {
  float* scores = nullptr;
  std::size_t scores_stride = 0;
  std::uint8_t* labels = nullptr;
  std::size_t labels_stride = 0;
  float* probabilities = nullptr;
  std::size_t probabilities_stride = 0;
  const Guarantee* promised = nullptr;  // that decides

  // Error(Usage) for rows that would lie on each other.
  void check_strides(std::size_t rows, std::size_t columns) const {
    const auto check = [&](const void* into, std::size_t stride, const char* what) {
      if (into != nullptr && rows > 1 && stride < columns)
        throw Error(Failure::Usage,
                    fmt::format("{}: rows of {} labels cannot begin {} numbers apart", what,
                                columns, stride),
                    {}, fmt::format("a stride of {} leaves no gaps", columns));
    };
    check(scores, scores_stride, "scores");
    check(labels, labels_stride, "labels");
    check(probabilities, probabilities_stride, "probabilities");
  }

  void put(std::size_t first, const Model& model, const Matrix& found) const {
    if (scores != nullptr) copy(found, scores + first * scores_stride, scores_stride);
    if (probabilities != nullptr)
      copy(model.probabilities(found.clone()), probabilities + first * probabilities_stride,
           probabilities_stride);
    if (labels == nullptr) return;
    const LabelMatrix decided =
        promised != nullptr ? decide_by(*promised, found) : model.decide(found);
    for (std::size_t i = 0; i < found.rows(); ++i)
      for (std::size_t k = 0; k < found.cols(); ++k)
        labels[(first + i) * labels_stride + k] = decided.get(i, k);
  }

 private:
  static void copy(const Matrix& from, float* into, std::size_t stride) {
    for (std::size_t i = 0; i < from.rows(); ++i) std::ranges::copy(from.row(i), into + i * stride);
  }
};

// As the readers of files do.
void require_finite(const Features& x) {
  if (is_mapped(x)) return;
  RowRoom room;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const RowEntries row = x.row(i, room);
    if (!std::ranges::all_of(row.values, row.values + row.count,
                             [](float value) { return std::isfinite(value); }))
      throw Error(
          Failure::Data,
          fmt::format("row {} (counting from 1) has a feature that is not a finite number", i + 1),
          {}, "fill in missing values or leave those rows out");
  }
}

void predict_into(const ls_model* model, const ls_data* data, const ls_run* run,
                  const Answers& into) {
  require_argument(model, "model");
  require_argument(data, "data");
  into.check_strides(data->data.rows(), model->model->state().label_names.size());
  Run work(run);
  require_finite(data->data.features);
  predict_blocks(
      *model->model, data->data, work.pool(), work.progress(),
      [&](std::size_t first, const Matrix& scores) { into.put(first, *model->model, scores); });
}

const Guarantee& kept_guarantee(const Model& model, const char* text) {
  const GuaranteeGoal goal = parse_guarantee(text);
  const Guarantee* kept = find_guarantee(model.state(), goal);
  if (kept == nullptr)
    throw Error(Failure::Data, "the model keeps no thresholds for " + to_string(goal), {},
                "choose them by decided rows first");
  return *kept;
}

// A model that keeps one more promise, in the place of an earlier one of the same kind.
std::unique_ptr<const Model> promising(const Model& model, Guarantee added) {
  ModelState state = model.state();
  std::erase_if(state.choices.guarantees,
                [&](const Guarantee& each) { return goal_of(each) == goal_of(added); });
  state.choices.guarantees.push_back(std::move(added));
  return model_of(std::move(state));
}

std::unique_ptr<const Model> trained(const Dataset& data, const ls_training& training,
                                     const ls_run* run) {
  require_argument(training.method, "method");
  Run work(run);
  TrainRequest request{.method = training.method,
                       .settings = settings_of(training.settings),
                       .gold = gold_of(training.gold, training.gold_cells, data),
                       .fit = work.options()};
  if (training.weights != nullptr) request.weights = {training.weights, data.rows()};
  if (training.unlabelled != nullptr)
    request.unlabelled = unlabelled_rows(training.unlabelled->data, data);
  return train(data, request).model;
}

// Of any of the functions that learn.
int fit(const ls_data* data, const ls_training* training, const ls_run* run, ls_model** model) {
  return guarded([&] {
    require_argument(data, "data");
    require_argument(training, "training");
    require_argument(model, "model");
    *model = new ls_model{trained(data->data, known_part(*training, "training"), run)};
  });
}

MetricOptions metric_settings(const char* json) {
  MetricOptions options;
  Options checked({{.key = "ties",
                    .type = OptionSpec::Type::Choice,
                    .default_value = "sklearn",
                    .choices = {"sklearn", "matlab"}},
                   {.key = "degenerate",
                    .type = OptionSpec::Type::Choice,
                    .default_value = "skip",
                    .choices = {"skip", "library"}},
                   {.key = "zero_division", .default_value = "0", .low = 0, .high = 1}});
  for (const auto& [key, value] : settings_of(json)) checked.set(key, value);
  if (checked.text("ties") == "matlab") options.ties = Ties::Matlab;
  if (checked.text("degenerate") == "library") options.degenerate = DegenerateRows::Library;
  options.zero_division = checked.real("zero_division");
  return options;
}

std::int64_t class_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(Failure::Usage, "the class '" + text + "' is not a whole number");
  return number;
}

OnnxClasses onnx_classes(const char* json) {
  OnnxClasses classes;
  for_each_setting(json, [&](const std::string& key, const JsonValue& value) {
    if ((key != "numbers" && key != "names") || !value.is_array())
      throw Error(Failure::Usage, "classes are a list of numbers or names");
    value.for_each([&](const JsonValue& one) {
      if (key == "names")
        classes.names.push_back(one.plain());
      else
        classes.numbers.push_back(class_number(one.plain()));
    });
  });
  return classes;
}

// Into the room of the caller, if there is any; else only the size is given.
void put_bytes(const std::string& bytes, void* into, std::size_t& size) {
  if (into != nullptr && size < bytes.size())
    throw Error(Failure::Usage, "the model needs " + std::to_string(bytes.size()) + " bytes");
  if (into != nullptr) std::memcpy(into, bytes.data(), bytes.size());
  size = bytes.size();
}

// How real scores become probabilities, where the model says.
Json probability_json(const ModelState& state) {
  const auto found = std::ranges::find(state.tensors, "confidence", &Tensor::name);
  if (found == state.tensors.end() || found->values.size() != 2) return {};
  return Json::object({{"centre", double{found->values[0]}}, {"slope", double{found->values[1]}}});
}

}  // namespace

extern "C" {

LS_API int ls_methods(char** json) {
  return guarded([&] {
    require_argument(json, "json");
    *json = text_for_caller(render_methods().json.text());
  });
}

LS_API int ls_fit(const ls_data* data, const char* method, const char* settings,
                  const ls_cell* gold, size_t gold_cells, const ls_run* run, ls_model** model) {
  const ls_training training = {sizeof training, method,  settings, gold,
                                gold_cells,      nullptr, nullptr};
  return fit(data, &training, run, model);
}

LS_API int ls_fit_weighted(const ls_data* data, const char* method, const char* settings,
                           const ls_cell* gold, size_t gold_cells, const double* weights,
                           const ls_run* run, ls_model** model) {
  if (weights == nullptr) return guarded([] { require_argument(nullptr, "weights"); });
  const ls_training training = {sizeof training, method,  settings, gold,
                                gold_cells,      weights, nullptr};
  return fit(data, &training, run, model);
}

LS_API int ls_train(const ls_data* data, const ls_training* training, const ls_run* run,
                    ls_model** model) {
  return fit(data, training, run, model);
}

LS_API int ls_predict(const ls_model* model, const ls_data* data, const ls_run* run, float* scores,
                      size_t scores_stride, uint8_t* labels, size_t labels_stride) {
  return guarded([&] {
    predict_into(model, data, run,
                 {.scores = scores,
                  .scores_stride = scores_stride,
                  .labels = labels,
                  .labels_stride = labels_stride});
  });
}

LS_API int ls_predict_probabilities(const ls_model* model, const ls_data* data, const ls_run* run,
                                    float* probabilities, size_t stride) {
  return guarded([&] {
    require_argument(probabilities, "probabilities");
    predict_into(model, data, run,
                 {.probabilities = probabilities, .probabilities_stride = stride});
  });
}

LS_API int ls_predict_guaranteed(const ls_model* model, const ls_data* data, const char* goal,
                                 const ls_run* run, uint8_t* labels, size_t stride) {
  return guarded([&] {
    require_argument(model, "model");
    require_argument(goal, "goal");
    require_argument(labels, "labels");
    predict_into(model, data, run,
                 {.labels = labels,
                  .labels_stride = stride,
                  .promised = &kept_guarantee(*model->model, goal)});
  });
}

LS_API int ls_evaluate(const ls_matrix* truth, const ls_matrix* scores, const ls_matrix* decisions,
                       const ls_matrix* candidates, const char* settings, char** json) {
  return guarded([&] {
    require_argument(truth, "truth");
    require_argument(json, "json");
    if (scores == nullptr && decisions == nullptr)
      throw Error(Failure::Usage, "there is nothing to measure", {},
                  "give scores, decisions or both");
    const auto labels = [](const ls_matrix* m) {
      return m ? labels_of(known_part(*m, "matrix")) : LabelMatrix();
    };
    const MatrixD given = scores != nullptr ? scores_of(known_part(*scores, "scores")) : MatrixD();
    const LabelMatrix decided = labels(decisions), ticked = labels(candidates);
    const std::vector<NamedMeasure> measures =
        evaluate(labels_of(known_part(*truth, "truth")),
                 {.wide_scores = scores != nullptr ? &given : nullptr,
                  .decisions = decisions != nullptr ? &decided : nullptr,
                  .candidates = candidates != nullptr ? &ticked : nullptr,
                  .options = metric_settings(settings)});
    *json = text_for_caller(render_measures(measures).json.text());
  });
}

LS_API int ls_model_info(const ls_model* model, char** json) {
  return guarded([&] {
    require_argument(model, "model");
    require_argument(json, "json");
    const ModelState& state = model->model->state();
    *json = text_for_caller(Json::object({{"method", state.method},
                                          {"options", json_texts(state.options)},
                                          {"notes", json_texts(state.display_notes())},
                                          {"features", state.features},
                                          {"feature_names", json_strings(state.feature_names)},
                                          {"labels", json_strings(state.label_names)},
                                          {"makes_features", state.recipe != nullptr},
                                          {"guarantees", guarantees_json(state)},
                                          {"probability", probability_json(state)}})
                                .text());
  });
}

LS_API int ls_model_load(const char* path, ls_model** model) {
  return guarded([&] {
    require_argument(path, "path");
    require_argument(model, "model");
    *model = new ls_model{load_model(path)};
  });
}

LS_API int ls_model_save(const ls_model* model, const char* path, int replace) {
  return guarded([&] {
    require_argument(model, "model");
    require_argument(path, "path");
    save_model(*model->model, path, replace != 0 ? IfExists::Replace : IfExists::Refuse);
  });
}

LS_API int ls_model_export(const ls_model* model, const char* path, int replace) {
  return guarded([&] {
    require_argument(model, "model");
    require_argument(path, "path");
    export_onnx(*model->model, path, replace != 0 ? IfExists::Replace : IfExists::Refuse);
  });
}

LS_API int ls_model_from_bytes(const void* bytes, size_t size, ls_model** model) {
  return guarded([&] {
    require_argument(bytes, "bytes");
    require_argument(model, "model");
    const std::string all(static_cast<const char*>(bytes), size);
    *model = new ls_model{model_of(decode_state(all, StateKind::Model, "the model"))};
  });
}

LS_API int ls_model_to_bytes(const ls_model* model, void* into, size_t* size) {
  return guarded([&] {
    require_argument(model, "model");
    require_argument(size, "size");
    put_bytes(encode_state(model->model->state(), StateKind::Model), into, *size);
  });
}

LS_API int ls_model_to_onnx(const ls_model* model, const char* classes, void* into, size_t* size) {
  return guarded([&] {
    require_argument(model, "model");
    require_argument(size, "size");
    put_bytes(classes != nullptr ? encode_onnx(*model->model, onnx_classes(classes))
                                 : encode_onnx(*model->model),
              into, *size);
  });
}

LS_API int ls_model_guarantee(const ls_model* model, const ls_data* decided, const ls_cell* cells,
                              size_t cell_count, const char* goal, double level, const ls_run* run,
                              ls_model** promising_model) {
  return guarded([&] {
    require_argument(model, "model");
    require_argument(decided, "decided");
    require_argument(goal, "goal");
    require_argument(promising_model, "promising");
    Run work(run);
    const GuaranteeGoal promise = parse_guarantee(goal);
    require_finite(decided->data.features);
    const DecidedRows rows =
        cells != nullptr ? decided_rows(*model->model, decided->data,
                                        gold_of(cells, cell_count, decided->data), work.pool())
                         : decided_rows(*model->model, decided->data, work.pool());
    *promising_model = new ls_model{
        promising(*model->model, guarantee(*model->model, rows, promise, checked_level(level)))};
  });
}

LS_API void ls_free_model(ls_model* model) {
  delete model;
}

}  // extern "C"
}  // namespace sieve
