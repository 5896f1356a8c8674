// NLR: one linear map for a label being on, one for it being off, and sparse noise between them.
#include "base/option_specs.h"
#include "linalg/design.h"
#include "methods/linear/linear_fit.h"
#include "methods/methods.h"

namespace sieve {
namespace {

// to = target + pull (1 - other): what a map is regressed on
MatrixD pulled(MatrixD target, double pull, const MatrixD& other) {
  for (std::size_t i = 0; i < target.rows(); ++i)
    for (std::size_t k = 0; k < target.cols(); ++k) target(i, k) += pull * (1 - other(i, k));
  return target;
}

MatrixD complement(MatrixD labels) {
  for (std::size_t i = 0; i < labels.rows(); ++i)
    for (double& value : labels.row(i)) value = 1 - value;
  return labels;
}

class Nlr final : public Learner {
 public:
  explicit Nlr(const Options& options)
      : settings_("nlr", options),
        beta_(options.real("beta")),
        gamma_(options.real("gamma")),
        lambda_(options.real("lambda")),
        threshold_(options.real("threshold")) {}

  std::unique_ptr<Model> fit(const TrainingData& data, const FitOptions& options) const override {
    LinearFit fit(settings_, data, options);
    const Resolvent resolvent(fit.phi(), settings_.largest, fit.pool());
    // ((1 + beta) Phi'Phi + gamma I)^-1 Phi' T
    const auto regressed = [&](const MatrixD& target) {
      MatrixD right = transposed_times(fit.phi(), target, fit.pool());
      for (std::size_t j = 0; j < right.rows(); ++j)
        for (double& value : right.row(j)) value /= 1 + beta_;
      return resolvent.apply(right, gamma_ / (1 + beta_));
    };
    NoiseLabels noise(data.candidates);
    MatrixD on, off, off_scores(data.rows(), data.labels());
    fit.run().begin("finding noise", settings_.iterations);
    for (std::size_t t = 0; t < settings_.iterations; ++t) {
      on = regressed(pulled(noise.kept(), beta_, off_scores));
      MatrixD difference = times(fit.phi(), on, fit.pool());
      off = regressed(pulled(complement(noise.kept()), beta_, difference));
      off_scores = times(fit.phi(), off, fit.pool());
      add(difference, -1, off_scores);
      noise.mark_below(difference, 1 - lambda_ / 2);
      fit.run().update(t + 1);
    }
    fit.run().end();
    fit.note("removed", std::to_string(noise.removed()));
    LinearParts parts;
    parts.weights = std::move(on);
    parts.against = std::move(off);
    parts.decision.rule = Decision::Rule::RowMinMax;
    parts.decision.threshold = threshold_;
    parts.confidence = {.centre = 1 - lambda_ / 2, .slope = 2};  // below it a candidate is noise
    return fit.finish(parts);
  }

 private:
  LinearSettings settings_;
  double beta_, gamma_, lambda_, threshold_;
};

}  // namespace

MethodInfo nlr_method() {
  std::vector<OptionSpec> options = {
      real_option("beta", "100", "how firmly on and off scores add up to 1", 0, 1e9),
      real_option("gamma", "10", "weight of ||W||^2", 1e-9, 1e9),
      real_option("lambda", "1.7", "weight of the number of removed candidates", 0, 1e9),
      real_option("threshold", "0.9", "share of the row's range from which a label is on", 0, 1),
  };
  for (OptionSpec& option : linear_options(false, 100)) options.push_back(std::move(option));
  return {"nlr",
          "NLR",
          "linear: one map for on, one for off, sparse noise in between",
          false,
          std::move(options),
          [](const Options& chosen) -> std::unique_ptr<Learner> {
            return std::make_unique<Nlr>(chosen);
          },
          load_linear_model};
}

}  // namespace sieve
