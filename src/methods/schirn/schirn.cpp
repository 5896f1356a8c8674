// Schirn: sparse noise, and label scores of high rather than low rank.
#include <algorithm>

#include "base/option_specs.h"
#include "linalg/design.h"
#include "linalg/least_squares.h"
#include "methods/linear/linear_fit.h"
#include "methods/methods.h"

namespace sieve {
namespace {

constexpr double kFirstPenalty = 1e-4, kLastPenalty = 10, kGrowth = 1.1;

MatrixD all_ones(std::size_t rows, std::size_t cols) {
  MatrixD out(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) std::ranges::fill(out.row(i), 1.0);
  return out;
}

class Schirn final : public Learner {
 public:
  explicit Schirn(const Options& options)
      : settings_("schirn", options),
        alpha_(options.real("alpha")),
        beta_(options.real("beta")),
        lambda_(options.real("lambda")),
        threshold_(options.real("threshold")) {}

  std::unique_ptr<Model> fit(const TrainingData& data, const FitOptions& options) const override {
    LinearFit fit(settings_, data, options);
    const Resolvent resolvent(fit.phi(), settings_.largest, fit.pool());
    NoiseLabels noise(data.candidates);
    // C is a copy of Phi W, held to it by the multiplier.
    MatrixD copy = all_ones(data.rows(), data.labels()), multiplier = copy.clone(), weights;
    double penalty = kFirstPenalty;
    fit.run().begin("finding noise", settings_.iterations);
    for (std::size_t t = 0; t < settings_.iterations; ++t) {
      add(copy, -1 / penalty, multiplier);
      weights =
          resolvent.apply(transposed_times(fit.phi(), copy, fit.pool()), 2 * lambda_ / penalty);
      add(copy, 1 / penalty, multiplier);
      noise.mark_below(copy, 0.5 - alpha_ / 2);
      const MatrixD scores = times(fit.phi(), weights, fit.pool());
      copy = raised(noise.kept(), multiplier, scores, penalty, fit.pool());
      add(multiplier, penalty, scores);
      add(multiplier, -penalty, copy);
      penalty = std::min(kGrowth * penalty, kLastPenalty);
      fit.run().update(t + 1);
    }
    fit.run().end();
    fit.note("removed", std::to_string(noise.removed()));
    LinearParts parts;
    parts.weights = std::move(weights);
    parts.decision.threshold = threshold_;
    parts.confidence.centre = 0.5 - alpha_ / 2;  // below it a candidate counts as noise
    return fit.finish(parts);
  }

 private:
  // argmin over C of ||C - kept||^2 - beta ||C||_* + <L, scores - C> + penalty/2 ||scores - C||^2
  MatrixD raised(MatrixD kept, const MatrixD& multiplier, const MatrixD& scores, double penalty,
                 ThreadPool& pool) const {
    const double weight = 1 + penalty / 2;
    MatrixD centre(kept.rows(), kept.cols());
    add(centre, 1 / weight, kept);
    add(centre, 1 / (2 * weight), multiplier);
    add(centre, penalty / (2 * weight), scores);
    return map_singular_values(
        centre, [&](double s) { return s + beta_ / weight; }, pool);
  }

  LinearSettings settings_;
  double alpha_, beta_, lambda_, threshold_;
};

}  // namespace

MethodInfo schirn_method() {
  std::vector<OptionSpec> options = {
      real_option("alpha", "0.5", "weight of the number of removed candidates", 0, 1e9),
      real_option("beta", "0.04", "weight of the nuclear norm of the scores, which is raised", 0,
                  1e9),
      real_option("lambda", "0.1", "weight of ||W||^2", 1e-9, 1e9),
      real_option("threshold", "0.8", "score from which a label is on", -1e9, 1e9),
  };
  for (OptionSpec& option : linear_options(false, 100)) options.push_back(std::move(option));
  return {"schirn",
          "Schirn",
          "linear: sparse noise, label scores of high rank",
          false,
          std::move(options),
          [](const Options& chosen) -> std::unique_ptr<Learner> {
            return std::make_unique<Schirn>(chosen);
          },
          load_linear_model};
}

}  // namespace sieve
