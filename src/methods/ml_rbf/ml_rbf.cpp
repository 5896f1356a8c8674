// ML-RBF: radial basis functions around clusters of each label's rows, and linear least squares.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/option_specs.h"
#include "labelsieve/error.h"
#include "linalg/blas.h"
#include "linalg/least_squares.h"
#include "methods/methods.h"
#include "methods/ml_rbf/rbf_model.h"
#include "methods/shared/fit_support.h"

namespace sieve {
namespace {

constexpr std::size_t kRowsAtOnce = 256;
constexpr double kNearest = 1e-6;
constexpr std::size_t kMostCentres = 32000;

std::size_t cluster_count(std::size_t rows, double share) {
  return static_cast<std::size_t>(std::ceil(share * static_cast<double>(rows)));
}

void check_size(const LabelMatrix& candidates, double share) {
  std::size_t centres = 0;
  for (const std::size_t rows : candidates.label_counts()) centres += cluster_count(rows, share);
  if (centres > kMostCentres)
    throw Error(Failure::Usage,
                "the least squares for " + std::to_string(centres) + " centres would need " +
                    std::to_string(8 * centres * centres / 1'000'000'000) + " GB",
                {}, "make alpha smaller");
}

// The centres of ceil(share * n_k) clusters of the rows of each label k, one label after the other.
Matrix label_centres(const ScaledRows& rows, const LabelMatrix& candidates, double share,
                     std::uint64_t seed, FitRun& run) {
  Matrix centres(0, rows.x.cols());
  run.until(0.5);
  run.begin("clustering", candidates.labels());
  for (std::size_t k = 0; k < candidates.labels(); ++k) {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < candidates.rows(); ++i)
      if (candidates.get(i, k)) own.push_back(i);
    const std::size_t clusters = cluster_count(own.size(), share);
    const std::size_t before = centres.rows();
    centres.resize_rows(before + clusters);
    if (clusters > 0) {
      const Clusters found =
          k_means(rows.x.select_rows(own), clusters, Random(seed, Purpose::Init, k), run.pool());
      for (std::size_t c = 0; c < clusters; ++c)
        for (std::size_t j = 0; j < centres.cols(); ++j)
          centres(before + c, j) = static_cast<float>(found.centres(c, j) + rows.shift[j]);
    }
    run.update(k + 1);
  }
  run.end();
  return centres;
}

double sum_of_distances(const ScaledRows& rows, const Matrix& centres, ThreadPool& pool) {
  const Distances from = distances(rows, centres);
  std::vector<double> sums(rows.x.rows());
  pool.for_blocks(sums.size(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    std::vector<double> squares = from.room();
    for (std::size_t i = first; i < last; ++i) {
      from.squares(i, squares);
      for (std::size_t c = 0; c < centres.rows(); ++c) sums[i] += std::sqrt(squares[c]);
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// The mean distance between two centres; of the rows to the centre if there is but one.
double mean_distance(const ScaledRows& rows, const Matrix& centres, ThreadPool& pool) {
  const auto count = static_cast<double>(centres.rows());
  if (centres.rows() == 1)
    return sum_of_distances(rows, centres, pool) / static_cast<double>(rows.x.rows());
  const ScaledRows places{centres.clone(), std::vector<double>(centres.cols())};
  return sum_of_distances(places, centres, pool) / (count * (count - 1));
}

// The weights that come nearest to +1 for candidates and -1 for other labels.
MatrixD fit_weights(const RadialFeatures& radial, std::size_t functions,
                    const LabelMatrix& candidates, double smallest, FitRun& run) {
  StreamedLeastSquares squares(functions, candidates.labels());
  // A block as high as the triangle is wide keeps both memory and overhead small.
  const std::size_t block = std::max(kRowsAtOnce, functions);
  run.until(1);
  run.begin("least squares", candidates.rows());
  for (std::size_t start = 0; start < candidates.rows(); start += block) {
    const std::size_t end = std::min(start + block, candidates.rows());
    MatrixD columns(functions + candidates.labels(), end - start);
    run.pool().for_blocks(end - start, kRowsAtOnce, [&](std::size_t first, std::size_t last) {
      const MatrixD phi = radial.of(start + first, start + last);
      for (std::size_t i = first; i < last; ++i) {
        for (std::size_t j = 0; j < functions; ++j) columns(j, i) = phi(i - first, j);
        for (std::size_t k = 0; k < candidates.labels(); ++k)
          columns(functions + k, i) = candidates.get(start + i, k) ? 1 : -1;
      }
    });
    squares.add(std::move(columns));
    run.update(end);
  }
  run.end();
  return squares.solve(smallest);
}

class RbfLearner final : public Learner {
 public:
  explicit RbfLearner(const Options& options)
      : options_(options.values()),
        share_(options.real("alpha")),
        width_(options.real("mu")),
        smallest_(options.real("smallest")) {}

  std::unique_ptr<Model> fit(const TrainingData& given, const FitOptions& fit) const override {
    const TrainingData data = learnable(given);
    check_size(data.candidates, share_);
    FitRun run(fit);
    load_blas();
    ModelState state = described_state("ml-rbf", options_, data, fit);
    state.scaler = fit_centred_scaler(data.features);
    const ScaledRows rows = scaled_rows(data.features, state.scaler);
    RadialBasis basis;
    basis.centres = label_centres(rows, data.candidates, share_, fit.seed, run);
    const double distance = mean_distance(rows, basis.centres, run.pool());
    // Centres in one place tell nothing of a width. float32, as a file keeps it.
    basis.width = double{static_cast<float>(width_ * (distance > kNearest ? distance : 1))};
    state.notes["centres"] = std::to_string(basis.centres.rows());
    const MatrixD weights =
        fit_weights(RadialFeatures(rows, basis), basis.size(), data.candidates, smallest_, run);
    return std::make_unique<RbfModel>(rbf_state(std::move(state), basis, weights));
  }

 private:
  std::map<std::string, std::string> options_;
  double share_, width_, smallest_;
};

std::vector<OptionSpec> option_table() {
  return {
      real_option("alpha", "0.01", "clusters of a label, as a share of its rows", 1e-6, 1),
      real_option("mu", "1", "width of a function, in mean distances between centres", 1e-3, 1e3),
      real_option("smallest", "1e-12", "singular values below this share of the largest count as 0",
                  0, 1),
  };
}

std::unique_ptr<Learner> make(const Options& options) {
  return std::make_unique<RbfLearner>(options);
}

std::unique_ptr<Model> load(ModelState state) {
  return std::make_unique<RbfModel>(std::move(state));
}

}  // namespace

MethodInfo ml_rbf_method() {
  return {
      "ml-rbf",
      "ML-RBF",
      "radial basis functions around clusters of each label's rows, every candidate taken as right",
      false,
      option_table(),
      make,
      load};
}

}  // namespace sieve
