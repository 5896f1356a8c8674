#include "methods/linear/linear_fit.h"

#include <utility>

#include "base/option_specs.h"
#include "linalg/blas.h"

namespace sieve {
LinearSettings::LinearSettings(std::string name, const Options& given)
    : method(std::move(name)),
      options(given.values()),
      scaling(given.text("scaling") == "raw" ? Scaling::None : Scaling::MinMax),
      bias(given.flag("bias")),
      largest(static_cast<std::size_t>(given.integer("largest-matrix"))),
      iterations(static_cast<std::size_t>(given.integer("iterations"))) {}

std::vector<OptionSpec> linear_options(bool bias, std::size_t iterations) {
  return {choice_option("scaling", {"min-max", "raw"}, "features to [-1, 1], or as they are"),
          flag_option("bias", bias, "whether a constant feature is added"),
          integer_option("iterations", std::to_string(iterations), "at most", 1, 1e6),
          integer_option("largest-matrix", "8192",
                         "rows of the largest square matrix that may be formed", 1, 32000)};
}

LinearFit::LinearFit(const LinearSettings& settings, const TrainingData& data,
                     const FitOptions& fit)
    : LinearFit(settings, fit, learnable(data)) {}

// The rows are let go, so that a copy of them can become the scaled ones.
LinearFit::LinearFit(const LinearSettings& settings, const FitOptions& fit, TrainingData data)
    : run_(fit),
      state_(described_state(settings.method, settings.options, data, fit)),
      x_(std::exchange(data.features, Features()).plain()),
      phi_{x_, settings.bias} {
  load_blas();
  state_.scaler = fit_scaler(x_, settings.scaling);
  state_.scaler.apply(x_);
}

std::unique_ptr<Model> LinearFit::finish(const LinearParts& parts) {
  return load_linear_model(linear_state(std::move(state_), parts));
}

}  // namespace sieve
