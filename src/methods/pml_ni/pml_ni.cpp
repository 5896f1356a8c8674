// PML-NI (Xie and Huang): a low-rank map for the labels, a sparse one for feature-induced noise.
#include "base/option_specs.h"
#include "linalg/design.h"
#include "methods/linear/linear_fit.h"
#include "methods/methods.h"
#include "methods/pml_ni/solver.h"

namespace sieve {
namespace {

// Candidates that the label part explains at least as well as the noise part.
LabelMatrix believed(const LabelMatrix& candidates, const MatrixD& label_part,
                     const MatrixD& noise_part) {
  LabelMatrix out(candidates.rows(), candidates.labels());
  for (std::size_t i = 0; i < out.rows(); ++i)
    candidates.for_each(
        i, [&](std::size_t k) { out.set(i, k, label_part(i, k) >= noise_part(i, k)); });
  return out;
}

class PmlNi final : public Learner {
 public:
  explicit PmlNi(const Options& options)
      : settings_("pml-ni", options), learnt_threshold_(options.text("threshold") == "learnt") {
    problem_ = {options.real("lambda"), options.real("beta"), options.real("gamma"),
                settings_.iterations};
  }

  std::unique_ptr<Model> fit(const TrainingData& data, const FitOptions& options) const override {
    LinearFit fit(settings_, data, options);
    const Resolvent resolvent(fit.phi(), settings_.largest, fit.pool());
    PmlNiSolution solution = solve_pml_ni(
        resolvent, transposed_times(fit.phi(), numbers_of(data.candidates), fit.pool()), problem_,
        fit.run());
    fit.note("iterations", std::to_string(solution.iterations) +
                               (solution.converged ? "" : ", not yet converged"));
    LinearParts parts;
    if (learnt_threshold_) {
      const MatrixD scores = times(fit.phi(), solution.u, fit.pool());
      const MatrixD noise = times(fit.phi(), solution.v, fit.pool());
      parts.decision =
          regress_threshold(narrowed(scores), believed(data.candidates, scores, noise), fit.pool());
    }
    parts.weights = std::move(solution.u);
    parts.against = std::move(solution.v);
    parts.confidence = {.centre = 0, .slope = 4};
    return fit.finish(parts);
  }

 private:
  LinearSettings settings_;
  PmlNiSettings problem_;
  bool learnt_threshold_;
};

}  // namespace

MethodInfo pml_ni_method() {
  std::vector<OptionSpec> options = {
      real_option("lambda", "10", "weight of ||U + V||^2 / 2", 1e-9, 1e9),
      real_option("beta", "0.5", "weight of the nuclear norm of U, the label part", 0, 1e9),
      real_option("gamma", "0.5", "weight of the 1-norm of V, the noise part", 0, 1e9),
      choice_option("threshold", {"learnt", "half"}, "a cut learnt from the scores, or 0.5"),
  };
  for (OptionSpec& option : linear_options(true, 500)) options.push_back(std::move(option));
  return {"pml-ni",
          "PML-NI",
          "linear: a low-rank part for the labels, a sparse one for the noise",
          false,
          std::move(options),
          [](const Options& chosen) -> std::unique_ptr<Learner> {
            return std::make_unique<PmlNi>(chosen);
          },
          load_linear_model};
}

}  // namespace sieve
