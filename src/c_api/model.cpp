#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "c_api/boundary.h"
#include "c_api/handles.h"
#include "labelsieve/error.h"
#include "labelsieve/model_io.h"
#include "labelsieve/onnx.h"
#include "labelsieve/predict.h"
#include "linalg/paging.h"
#include "report/told.h"

namespace sieve {

namespace {

// A model of bytes that were checked, by the method that wrote them.
std::unique_ptr<const Model> model_of(ModelState state) {
  const MethodInfo& method = method_info(state.method);
  return method.load(std::move(state));
}

// What the method learns from: an oracle from the truth, others from what votes make likely where
// it is known who ticked what.
TrainingData learnt_from(const Dataset& data, const MethodInfo& method, const Learner& learner,
                         Run& run) {
  constexpr std::size_t kFolds = 5;
  TrainingData rows = training_data(data);
  if (method.oracle) {
    if (!data.truth)
      throw Error(Failure::Data,
                  fmt::format("the method '{}' is an oracle: it learns from the true "
                              "labels, which this data does not have",
                              method.name));
    rows.candidates = data.truth->share();
    return rows;
  }
  return data.votes ? labels_by_votes(rows, learner, kFolds, run.options()) : std::move(rows);
}

// Scores and decisions of some rows, put where the caller wants them.
struct Answers {
  float* scores;
  std::size_t scores_stride;
  std::uint8_t* labels;
  std::size_t labels_stride;

  void put(std::size_t first, const Model& model, const Matrix& found) const {
    if (scores != nullptr)
      for (std::size_t i = 0; i < found.rows(); ++i)
        std::ranges::copy(found.row(i), scores + (first + i) * scores_stride);
    if (labels == nullptr) return;
    const LabelMatrix decided = model.decide(found);
    for (std::size_t i = 0; i < found.rows(); ++i)
      for (std::size_t k = 0; k < found.cols(); ++k)
        labels[(first + i) * labels_stride + k] = decided.get(i, k);
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
      throw Error(Failure::Data,
                  fmt::format("row {} has a feature that is not a finite number", i + 1), {},
                  "fill in missing values or leave those rows out");
  }
}

// The score of a row depends on the model and that row alone, so blocks of rows do.
void predict_blocks(const Model& model, const Features& x, Run& run, const Answers& into) {
  run.progress().begin("predicting", x.rows());
  for (std::size_t first = 0; first < x.rows(); first += kWindowRows) {
    const std::size_t last = std::min(first + kWindowRows, x.rows());
    const bool all = first == 0 && last == x.rows();
    into.put(first, model, model.scores(all ? x : x.slice(first, last), run.pool()));
    run.progress().update(last);
    if (run.progress().stop_requested() && last < x.rows())
      throw Error(Failure::Interrupted, "stopped on request");
  }
}

MatrixD scores_of(const ls_matrix& m) {
  if (m.starts != nullptr || m.type == LS_UINT8)
    throw Error(Failure::Usage, "scores are full rows of float32 or float64");
  MatrixD out(m.rows, m.cols);
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t k = 0; k < m.cols; ++k)
      out(i, k) = m.type == LS_FLOAT64
                      ? static_cast<const double*>(m.values)[i * m.stride + k]
                      : double{static_cast<const float*>(m.values)[i * m.stride + k]};
  return out;
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
    *json = text_for_caller(tell_methods().json.text());
  });
}

LS_API int ls_fit(const ls_data* data, const char* method, const char* settings, const ls_run* run,
                  ls_model** model) {
  return guarded([&] {
    require_argument(data, "data");
    require_argument(method, "method");
    require_argument(model, "model");
    const MethodInfo& info = method_info(method);
    const auto learner = make_learner(method, settings_of(settings));
    Run work(run);
    auto fitted = std::make_unique<ls_model>();
    fitted->model = learner->fit(learnt_from(data->data, info, *learner, work), work.options());
    *model = fitted.release();
  });
}

LS_API int ls_predict(const ls_model* model, const ls_data* data, const ls_run* run, float* scores,
                      size_t scores_stride, uint8_t* labels, size_t labels_stride) {
  return guarded([&] {
    require_argument(model, "model");
    require_argument(data, "data");
    Run work(run);
    require_finite(data->data.features);
    predict_blocks(*model->model, features_for(*model->model, data->data), work,
                   {scores, scores_stride, labels, labels_stride});
  });
}

LS_API int ls_evaluate(const ls_matrix* truth, const ls_matrix* scores, const ls_matrix* decisions,
                       const ls_matrix* candidates, const char* settings, char** json) {
  return guarded([&] {
    require_argument(truth, "truth");
    require_argument(json, "json");
    const auto labels = [](const ls_matrix* m) { return m ? labels_of(*m) : LabelMatrix(); };
    const MatrixD given = scores != nullptr ? scores_of(*scores) : MatrixD();
    const LabelMatrix decided = labels(decisions), ticked = labels(candidates);
    const std::vector<NamedMeasure> measures = evaluate<double>(
        scores != nullptr ? &given : nullptr, decisions != nullptr ? &decided : nullptr,
        candidates != nullptr ? &ticked : nullptr, labels_of(*truth), metric_settings(settings));
    *json = text_for_caller(tell_measures(measures).json.text());
  });
}

LS_API int ls_model_info(const ls_model* model, char** json) {
  return guarded([&] {
    require_argument(model, "model");
    require_argument(json, "json");
    const ModelState& state = model->model->state();
    *json = text_for_caller(Json::object({{"method", state.method},
                                          {"options", json_texts(state.options)},
                                          {"notes", json_texts(state.notes)},
                                          {"features", state.features},
                                          {"feature_names", json_strings(state.feature_names)},
                                          {"labels", json_strings(state.label_names)},
                                          {"makes_features", state.recipe != nullptr},
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
    const std::string bytes = encode_state(model->model->state(), StateKind::Model);
    if (into != nullptr && *size < bytes.size())
      throw Error(Failure::Usage, "the model needs " + std::to_string(bytes.size()) + " bytes");
    if (into != nullptr) std::memcpy(into, bytes.data(), bytes.size());
    *size = bytes.size();
  });
}

LS_API void ls_free_model(ls_model* model) {
  delete model;
}

}  // extern "C"
}  // namespace sieve
