#include "methods/pml_ni/pml_ni.h"

#include <algorithm>
#include <cmath>

#include "base/option_specs.h"
#include "linalg/design.h"
#include "linalg/least_squares.h"
#include "methods/linear/linear_fit.h"
#include "methods/methods.h"

namespace sieve {
namespace {

constexpr double kFirstPenalty = 1e-4, kLastPenalty = 1e10, kGrowth = 1.1;
constexpr double kSmallGap = 1e-7;   // of ||W - U - V|| / ||W||
constexpr double kSmallStep = 1e-5;  // of penalty ||U - U before|| / ||W||

MatrixD minus(const MatrixD& a, const MatrixD& b) {
  MatrixD out = a.clone();
  add(out, -1, b);
  return out;
}

// Singular values less by `threshold`, but not below 0.
MatrixD shrunk(const MatrixD& a, double threshold, ThreadPool& pool) {
  // None is larger than the norm. The penalty begins so small that this holds half of the time.
  if (squared_norm(a) <= threshold * threshold) return MatrixD(a.rows(), a.cols());
  return map_singular_values(
      a, [&](double s) { return std::max(s - threshold, 0.0); }, pool);
}

// Entries nearer to 0 by `threshold`, but not beyond.
MatrixD softened(MatrixD a, double threshold) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (double& value : a.row(i))
      value = std::copysign(std::max(std::abs(value) - threshold, 0.0), value);
  return a;
}

}  // namespace

// All matrices are turned by the resolvent, which only V, being sparse as it stands, would notice.
// Where gamma >= beta, V is 0: an entry alone has a nuclear norm no larger than its 1-norm, so that
// U takes it over at no more cost. Nothing needs to be turned back and forth then.
PmlNiSolution solve_pml_ni(const Resolvent& resolvent, const MatrixD& correlation,
                           const PmlNiSettings& settings, FitRun& run, const PmlNiWatch& watch) {
  const std::size_t rows = correlation.rows(), labels = correlation.cols();
  const bool noise = settings.gamma < settings.beta;
  const MatrixD target = resolvent.turned(correlation);
  MatrixD u(rows, labels), v(rows, labels), multiplier(rows, labels);
  PmlNiSolution now{{}, MatrixD(rows, labels)};
  double penalty = kFirstPenalty;
  run.begin("splitting labels from noise", settings.iterations);
  while (now.iterations < settings.iterations && !now.converged) {
    MatrixD right = target.clone();
    add(right, penalty, u);
    add(right, penalty, v);
    add(right, 1, multiplier);
    const MatrixD w = resolvent.apply_turned(std::move(right), settings.lambda + penalty);

    MatrixD rest = w.clone();  // W - L / penalty, which U and V share
    add(rest, -1 / penalty, multiplier);
    const MatrixD before = std::move(u);
    u = shrunk(minus(rest, v), settings.beta / penalty, run.pool());
    if (noise) {
      now.v = softened(resolvent.turned_back(minus(rest, u)), settings.gamma / penalty);
      v = resolvent.turned(now.v);
    }

    MatrixD gap = minus(u, w);
    add(gap, 1, v);
    const double norm = std::sqrt(squared_norm(w));
    const bool small_gap = std::sqrt(squared_norm(gap)) <= kSmallGap * norm;
    const bool small_step =
        penalty * std::sqrt(squared_norm(minus(u, before))) <= kSmallStep * norm;
    if (small_step) penalty = std::min(kGrowth * penalty, kLastPenalty);
    add(multiplier, penalty, gap);
    now.converged = small_gap && small_step;
    run.update(++now.iterations);
    if (watch) watch(resolvent.turned_back(u), now.v);
  }
  run.end();
  now.u = resolvent.turned_back(u);
  return now;
}

// PML-NI (Xie and Huang): a low-rank map for the labels, a sparse one for feature-induced noise.

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
