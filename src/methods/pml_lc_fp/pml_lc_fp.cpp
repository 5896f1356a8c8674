// PML-LC and PML-FP: a linear ranker and the confidences of the candidates, learnt in turn.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/option_specs.h"
#include "labelsieve/threads.h"
#include "linalg/entries.h"
#include "methods/linear/linear_model.h"
#include "methods/methods.h"
#include "methods/pml_lc_fp/alternation.h"

namespace sieve {
namespace {

constexpr std::size_t kRowsAtOnce = 64;

// The mean of the rows that have a label as candidate, in the space of the stored entries.
// paper: Q_k
MatrixD prototypes(const Features& x, const CandidateLists& lists) {
  MatrixD means(lists.labels, x.cols());
  std::vector<double> counts(lists.labels);
  for (std::size_t i = 0; i < lists.rows(); ++i)
    for (const std::size_t k : lists.of(i)) {
      counts[k] += 1;
      for_each_entry(x, i, [&](std::size_t j, double value) { means(k, j) += value; });
    }
  for (std::size_t k = 0; k < lists.labels; ++k)
    for (double& value : means.row(k)) value /= std::max(counts[k], 1.0);
  return means;
}

// weight * ||x_i - Q_k|| for every candidate k of every row i.
std::vector<double> prototype_charges(const Features& x, const CandidateLists& lists, double weight,
                                      ThreadPool& pool) {
  const MatrixD means = prototypes(x, lists);
  std::vector<double> squares, charges(lists.all.size());
  for (std::size_t k = 0; k < lists.labels; ++k)
    squares.push_back(
        std::inner_product(means.row(k).begin(), means.row(k).end(), means.row(k).begin(), 0.0));
  pool.for_blocks(lists.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t c = 0; c < lists.count(i); ++c) {
        const std::size_t k = lists.of(i)[c];
        double square = squares[k];
        for_each_entry(x, i, [&](std::size_t j, double value) {
          square += value * (value - 2 * means(k, j));
        });
        lists.part(charges, i)[c] = weight * std::sqrt(std::max(square, 0.0));
      }
  });
  return charges;
}

// How many labels a row is thought to have, from the learnt confidences alone.
std::size_t labels_per_row(const CandidateLists& lists, const std::vector<double>& confidence,
                           bool summed) {
  double sum = 0;
  for (const double p : confidence) sum += summed ? p : (p > 0 ? 1 : 0);
  const double mean = std::round(sum / static_cast<double>(lists.rows()));
  return std::clamp<std::size_t>(static_cast<std::size_t>(mean), 1, lists.labels);
}

// The weights with the intercept in the last row.
MatrixD with_intercept(const AlternationResult& learnt) {
  MatrixD out = learnt.weights.clone();
  out.resize_rows(out.rows() + 1);
  std::ranges::copy(learnt.bias, out.row(out.rows() - 1).begin());
  return out;
}

// Where scores of labels that are on end and others begin, in the mean over the rows.
double mean_cut(const Matrix& scores, std::size_t top) {
  double sum = 0;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    std::vector<float> sorted(scores.row(i).begin(), scores.row(i).end());
    std::ranges::sort(sorted, std::greater{});
    const double last_on = double{sorted[top - 1]};
    sum += top < sorted.size() ? (last_on + double{sorted[top]}) / 2 : last_on - 0.5;
  }
  return sum / static_cast<double>(scores.rows());
}

class PairwiseLearner final : public Learner {
 public:
  PairwiseLearner(std::string method, const Options& options)
      : method_(std::move(method)),
        options_(options.values()),
        settings_{options.count("rounds"), options.real("tolerance"), options.count("passes"),
                  options.real("gap")},
        loss_(options.real("c1")),
        correlation_(method_ == "pml-lc" ? options.real("c2") : 0),
        prototype_(method_ == "pml-fp" ? options.real("c3") : 0) {}

  std::unique_ptr<Model> fit(const TrainingData& given, const FitOptions& fit) const override {
    const TrainingData data = learnable(given);
    require_room(data);
    FitRun run(fit);
    ModelState state = described_state(method_, options_, data, fit);
    state.scaler = fit_centred_scaler(data.features);
    const ScaledRows rows = scaled_rows(data.features, state.scaler);
    const CandidateLists lists(data.candidates);
    AlternationSettings settings = settings_;
    settings.seed = fit.seed;
    const AlternationResult learnt =
        alternate(rows, lists, terms(rows, lists, run.pool()), settings, run);

    LinearParts parts;
    parts.weights = with_intercept(learnt);
    parts.decision.rule = Decision::Rule::Top;
    parts.decision.top = labels_per_row(lists, learnt.confidence, correlation_ > 0);
    state.notes["rounds"] = std::to_string(learnt.objective.size() / 2);
    state.notes["passes"] = std::to_string(learnt.passes);
    state.notes["objective"] = std::to_string(learnt.objective.back());
    const Matrix scores = LinearModel(linear_state(state, parts)).scores(data.features, run.pool());
    parts.confidence.centre = mean_cut(scores, parts.decision.top);
    return load_linear_model(linear_state(std::move(state), parts));
  }

 private:
  // A number for every candidate and label, and for pml-lc two for every pair of labels.
  void require_room(const TrainingData& data) const {
    const auto labels = static_cast<double>(data.labels());
    const double pairs = correlation_ > 0 ? 2 * labels : 0;
    require_memory(sizeof(double) * labels * (static_cast<double>(data.candidates.count()) + pairs),
                   std::to_string(data.candidates.count()) + " candidates among " +
                       std::to_string(data.labels()) + " labels",
                   "keep fewer labels, or choose a method that looks at one label at a time");
  }
  ConfidenceTerms terms(const ScaledRows& rows, const CandidateLists& lists,
                        ThreadPool& pool) const {
    ConfidenceTerms terms;
    terms.weight = loss_;
    terms.correlation = correlation_;
    if (correlation_ > 0) terms.similarity = label_similarity(lists);
    if (prototype_ > 0) terms.charge = prototype_charges(rows.x, lists, prototype_, pool);
    return terms;
  }

  std::string method_;
  std::map<std::string, std::string> options_;
  AlternationSettings settings_;
  double loss_, correlation_, prototype_;
};

std::vector<OptionSpec> option_table(OptionSpec own) {
  return {
      real_option("c1", "1", "weight of the ranking losses", 1e-6, 1e6),
      std::move(own),
      integer_option("rounds", "20", "maximum rounds of weights and confidences", 1, 10000),
      real_option("tolerance", "0.001",
                  "stop when a round lowers the objective by less than this share", 0, 1),
      integer_option("passes", "50", "maximum passes over the rows per round", 1, 100000),
      real_option("gap", "0.01", "end the passes of a round at this relative duality gap", 0, 1),
  };
}

std::unique_ptr<Learner> make_lc(const Options& options) {
  return std::make_unique<PairwiseLearner>("pml-lc", options);
}

std::unique_ptr<Learner> make_fp(const Options& options) {
  return std::make_unique<PairwiseLearner>("pml-fp", options);
}

}  // namespace

MethodInfo pml_lc_method() {
  return {"pml-lc",
          "PML-LC",
          "a linear ranker with confidences that agree for labels that often come together",
          false,
          option_table(real_option("c2", "0.001", "weight of label correlation", 0, 1e6)),
          make_lc,
          load_linear_model};
}

MethodInfo pml_fp_method() {
  return {
      "pml-fp",
      "PML-FP",
      "a linear ranker with confidences for labels whose typical row is near",
      false,
      option_table(real_option("c3", "0.1", "weight of the distance to a label's mean", 0, 1e6)),
      make_fp,
      load_linear_model};
}

}  // namespace sieve
