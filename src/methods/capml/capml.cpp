#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/option_specs.h"
#include "base/random.h"
#include "data/prepare/scaling.h"
#include "labelsieve/error.h"
#include "labelsieve/learner.h"
#include "linalg/blas.h"
#include "linalg/dense.h"
#include "linalg/design.h"
#include "linalg/entries.h"
#include "methods/capml/steps.h"
#include "methods/methods.h"
#include "methods/shared/decision.h"
#include "methods/shared/fit_support.h"

// CAPML: candidates corrected by how well clusters of rows agree with them, and a kernel
// regression on what is left.
namespace sieve {
namespace {

// Gaussian kernels around some rows of the training data, less their mean over the training rows,
// and a constant: k(x, a) = exp(-|x - a|^2 / width).
struct KernelMap {
  MatrixD anchors;           // features x anchors, times the scaling factors
  std::vector<double> mean;  // of each kernel
  double width = 1;

  std::size_t outputs() const { return anchors.cols() + 1; }
  // rows x outputs(), for rows whose features are scaled by the same factors.
  MatrixD of(const Features& scaled, ThreadPool& pool) const;
};

// scores = kernels . weights
class KernelModel final : public RealScoreModel {
 public:
  // Takes a state as kernel_state made it; Error(Model) if it does not fit together.
  explicit KernelModel(ModelState state);

  Matrix scores(const Features& x, ThreadPool& pool) const override;

 private:
  KernelMap map_;
  MatrixD weights_;
};

constexpr std::size_t kRowsAtOnce = 1024;

// Squared distances of rows from anchors.
MatrixD distances(const Features& x, const MatrixD& anchors, ThreadPool& pool) {
  MatrixD out = times(Design{x, false}, anchors, pool);
  std::vector<double> squares(anchors.cols());
  for (std::size_t f = 0; f < anchors.rows(); ++f)
    for (std::size_t a = 0; a < anchors.cols(); ++a) squares[a] += anchors(f, a) * anchors(f, a);
  for (std::size_t i = 0; i < out.rows(); ++i) {
    double square = 0;
    for_each_entry(x, i,
                   [&](std::size_t, float value) { square += double{value} * double{value}; });
    for (std::size_t a = 0; a < out.cols(); ++a)
      out(i, a) = std::max(0.0, square + squares[a] - 2 * out(i, a));
  }
  return out;
}

// Squared distances become kernels, and the constant comes last.
MatrixD kernels(const MatrixD& squares, double width, ThreadPool& pool) {
  MatrixD out(squares.rows(), squares.cols() + 1);
  pool.for_blocks(out.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t a = 0; a < squares.cols(); ++a) out(i, a) = std::exp(-squares(i, a) / width);
      out(i, squares.cols()) = 1;
    }
  });
  return out;
}

void subtract(const std::vector<double>& mean, MatrixD& kernels) {
  for (std::size_t i = 0; i < kernels.rows(); ++i)
    for (std::size_t a = 0; a < mean.size(); ++a) kernels(i, a) -= mean[a];
}

MatrixD some_rows(const Features& x, std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> rows(x.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Random(seed, Purpose::Init).shuffle(std::span<std::size_t>(rows));
  rows.resize(count);
  MatrixD out(x.cols(), count);
  for (std::size_t a = 0; a < count; ++a)
    for_each_entry(x, rows[a], [&](std::size_t f, float value) { out(f, a) = double{value}; });
  return out;
}

MatrixD read(const ModelState& state, const char* name, std::size_t rows, std::size_t cols) {
  const Tensor& tensor = state.tensor(name);
  if (tensor.shape != std::vector{rows, cols} || tensor.values.size() != rows * cols ||
      !std::ranges::all_of(tensor.values, [](float v) { return std::isfinite(v); }))
    throw Error(Failure::Model,
                "the " + std::string(name) + " of the model do not fit its other parts");
  MatrixD out(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < cols; ++k) out(i, k) = double{tensor.values[i * cols + k]};
  return out;
}

MatrixD KernelMap::of(const Features& scaled, ThreadPool& pool) const {
  MatrixD out = kernels(distances(scaled, anchors, pool), width, pool);
  subtract(mean, out);
  return out;
}

// Random rows as anchors; width is twice their mean squared distance from all rows. Sets the
// inputs of the training rows, too.
KernelMap fit_kernel_map(const Features& scaled, std::size_t anchors, std::uint64_t seed,
                         ThreadPool& pool, MatrixD& inputs) {
  KernelMap map{some_rows(scaled, anchors, seed), std::vector<double>(anchors), 1};
  const MatrixD squares = distances(scaled, map.anchors, pool);
  double sum = 0;
  for (std::size_t i = 0; i < squares.rows(); ++i)
    for (const double square : squares.row(i)) sum += square;
  const double cells = static_cast<double>(squares.rows() * squares.cols());
  if (sum > 0) map.width = 2 * sum / cells;
  inputs = kernels(squares, map.width, pool);
  for (std::size_t i = 0; i < inputs.rows(); ++i)
    for (std::size_t a = 0; a < anchors; ++a)
      map.mean[a] += inputs(i, a) / static_cast<double>(inputs.rows());
  subtract(map.mean, inputs);
  return map;
}

// `state` already tells method, options, names, scaler (without offsets: distances know none) and
// notes.
ModelState kernel_state(ModelState state, const KernelMap& map, const MatrixD& weights,
                        const Decision& decision) {
  state.tensors.push_back(tensor_of("anchors", transposed(map.anchors)));
  state.tensors.push_back({"kernel_mean", {map.mean.size()}, {map.mean.begin(), map.mean.end()}});
  state.tensors.push_back({"kernel_width", {1}, {static_cast<float>(map.width)}});
  state.tensors.push_back(tensor_of("weights", weights));
  decision.write(state);
  CandidateConfidence{}.write(state);
  return state;
}

KernelModel::KernelModel(ModelState state) : RealScoreModel(std::move(state)) {
  const std::size_t anchors = state_.tensor("kernel_mean").values.size();
  if (state_.scaler.factor.size() != state_.features)
    throw Error(Failure::Model, "the scaling of the model does not fit its features");
  map_.anchors = transposed(read(state_, "anchors", anchors, state_.features));
  const std::vector<float>& mean = state_.tensor("kernel_mean").values;
  map_.mean.assign(mean.begin(), mean.end());
  const std::vector<float>& width = state_.tensor("kernel_width").values;
  weights_ = read(state_, "weights", anchors + 1, state_.label_names.size());
  if (width.size() != 1 || !(width[0] > 0))
    throw Error(Failure::Model, "the kernels of the model do not fit its features");
  map_.width = double{width[0]};
}

Matrix KernelModel::scores(const Features& x, ThreadPool& pool) const {
  Matrix out(x.rows(), weights_.cols());
  for_each_block(state_, x, [&](std::size_t first, const Features& rows) {
    const MatrixD kernels = map_.of(scaled_rows(rows, state_.scaler).x, pool);
    const Matrix scored = narrowed(times(kernels, weights_, pool));
    for (std::size_t i = 0; i < rows.rows(); ++i)
      std::ranges::copy(scored.row(i), out.row(first + i).begin());
  });
  return finite_scores(std::move(out), x);
}

constexpr std::size_t kMostAnchors = 1000;
constexpr std::size_t kMostNumbers = std::size_t{1} << 25;  // that anchors may take in the model

class Capml final : public Learner {
 public:
  explicit Capml(const Options& options)
      : options_(options.values()),
        clusters_{options.real("fuzziness"), options.count("rounds")},
        a_(options.real("a")),
        b_(options.real("b")),
        iterations_(options.count("iterations")),
        anchors_(options.is_auto("anchors") ? 0 : options.count("anchors")) {
    decision_.threshold = options.real("threshold");
  }

  std::unique_ptr<Model> fit(const TrainingData& given, const FitOptions& options) const override {
    const TrainingData data = learnable(given);
    FitRun run(options);
    load_blas();
    ModelState state = described_state("capml", options_, data, options);
    state.scaler = fit_input_scaling(data.features, Centring::None).scaler;
    std::ranges::fill(state.scaler.offset, 0.0F);  // distances know no offset
    const Features x = scaled_rows(data.features, state.scaler).x;
    const Design rows{x, false};
    const MatrixD membership = fuzzy_clusters(rows, data.candidates, clusters_, run);
    const MatrixD believed =
        reliability(data.candidates, membership,
                    clusters_of_labels(rows, data.candidates, membership, clusters_, run));
    MatrixD inputs;
    const KernelMap map = fit_kernel_map(x, anchors_for(x), options.seed, run.pool(), inputs);
    const MatrixD candidates = numbers_of(data.candidates);
    const CorrectedLabels found =
        correct_labels({inputs, candidates, believed, a_, b_}, iterations_, run);
    state.notes["anchors"] = std::to_string(map.anchors.cols());
    state.notes["iterations"] = std::to_string(found.objective.size());
    return std::make_unique<KernelModel>(
        kernel_state(std::move(state), map, found.weights, decision_));
  }

 private:
  std::size_t anchors_for(const Features& x) const {
    if (anchors_ != 0) return std::min(anchors_, x.rows());
    const std::size_t most = std::min({x.rows(), 5 * x.cols(), kMostAnchors});
    return std::min(most, std::max<std::size_t>(kMostNumbers / x.cols(), 1));
  }

  std::map<std::string, std::string> options_;
  ClusterSettings clusters_;
  double a_, b_;
  std::size_t iterations_, anchors_;
  Decision decision_;
};

}  // namespace

MethodInfo capml_method() {
  std::vector<OptionSpec> options = {
      real_option("fuzziness", "0.5", "squared distance at which membership in a cluster fades",
                  1e-6, 1e6),
      integer_option("rounds", "20", "maximum rounds of clustering and of matching", 1, 1e6),
      real_option("a", "0.1", "weight of the number of labels changed; from 2 on none is", 0, 1e6),
      real_option("b", "1", "weight of the rows of W", 1e-9, 1e9),
      integer_option("iterations", "50", "maximum rounds of label correction", 1, 1e6),
      real_option("threshold", "0.5", "score from which a label is on", -1e6, 1e6),
      integer_option("anchors", "auto",
                     "rows used as kernel centres; auto: 5 per feature, at most 1000", 1, 5000),
  };
  return {"capml",
          "CAPML",
          "clusters of rows say which candidates to believe, a kernel regression learns the rest",
          false,
          std::move(options),
          [](const Options& chosen) -> std::unique_ptr<Learner> {
            return std::make_unique<Capml>(chosen);
          },
          [](ModelState state) -> std::unique_ptr<Model> {
            return std::make_unique<KernelModel>(std::move(state));
          }};
}

}  // namespace sieve
