#include "methods/capml/steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "labelsieve/error.h"
#include "linalg/blas.h"
#include "linalg/dense.h"

namespace sieve {
namespace {

constexpr double kSettled = 1e-5;
constexpr double kShortest = 1e-8;  // keeps the weight of an empty row finite

double length(std::span<const double> row) {
  double sum = 0;
  for (const double value : row) sum += value * value;
  return std::sqrt(sum);
}

double squared_distance(const MatrixD& a, const MatrixD& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.cols(); ++k) sum += (a(i, k) - b(i, k)) * (a(i, k) - b(i, k));
  return sum;
}

// (K'K + b D)^-1 K'R with D = 1 / (2 |w_i|): an upper bound of the norm that touches it at W.
MatrixD reweighted(const MatrixD& gram, const MatrixD& right, const MatrixD& weights, double b) {
  MatrixD system = gram.clone();
  for (std::size_t i = 0; i < system.rows(); ++i)
    system(i, i) += b / (2 * length(weights.row(i)) + kShortest);
  return solve_positive(system, right);
}

double objective(const CorrectionProblem& problem, const CorrectedLabels& at,
                 const MatrixD& scores) {
  double sum = squared_distance(scores, at.labels);
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k) {
      const double change = at.labels(i, k) - problem.candidates(i, k);
      const double held = problem.reliability(i, k) * change;
      sum += held * held + problem.a * std::abs(change);
    }
  for (std::size_t i = 0; i < at.weights.rows(); ++i) sum += problem.b * length(at.weights.row(i));
  return sum;
}

MatrixD all_corrected(const CorrectionProblem& problem, const MatrixD& scores) {
  MatrixD labels(scores.rows(), scores.cols());
  for (std::size_t i = 0; i < labels.rows(); ++i)
    for (std::size_t k = 0; k < labels.cols(); ++k)
      labels(i, k) = corrected_label(problem.candidates(i, k), scores(i, k),
                                     problem.reliability(i, k), problem.a);
  return labels;
}

}  // namespace

double corrected_label(double candidate, double score, double reliability, double a) {
  const double gap = candidate - score;
  const double soft = std::copysign(std::max(0.0, std::abs(gap) - a / 2), gap);
  return std::max(0.0, candidate - soft / (1 + reliability * reliability));
}

CorrectedLabels correct_labels(const CorrectionProblem& problem, std::size_t rounds, FitRun& run) {
  const MatrixD& inputs = problem.inputs;
  const MatrixD gram = transposed_times(inputs, inputs, run.pool());
  CorrectedLabels at{
      MatrixD(inputs.cols(), problem.candidates.cols()), problem.candidates.clone(), {}};
  for (std::size_t i = 0; i < at.weights.rows(); ++i) std::ranges::fill(at.weights.row(i), 1.0);
  run.until(1);
  run.begin("correcting labels", rounds);
  for (std::size_t round = 0; round < rounds; ++round) {
    MatrixD weights =
        reweighted(gram, transposed_times(inputs, at.labels, run.pool()), at.weights, problem.b);
    const MatrixD scores = times(inputs, weights, run.pool());
    MatrixD labels = all_corrected(problem, scores);
    const double change =
        squared_distance(weights, at.weights) + squared_distance(labels, at.labels);
    at.weights = std::move(weights);
    at.labels = std::move(labels);
    at.objective.push_back(objective(problem, at, scores));
    run.update(round + 1);
    if (change < kSettled) break;
  }
  run.end();
  return at;
}

MatrixD best_rotation(const MatrixD& a, const MatrixD& b, ThreadPool& pool) {
  MatrixD product = transposed_times(a, b, pool);
  const int n = static_cast<int>(product.rows()), stride = static_cast<int>(product.stride());
  // LAPACK reads by columns and so sees B'A = V S U'. What it writes as V and U' by columns is V'
  // and U by rows.
  MatrixD v_transposed(product.rows(), product.rows()), u(product.rows(), product.rows());
  std::vector<double> singular(product.rows());
  int info = 0;
  const auto call = [&](double* work, int size) {
    const BlasScope blas;
    blas->dgesvd("A", "A", &n, &n, product.data(), &stride, singular.data(), v_transposed.data(),
                 &stride, u.data(), &stride, work, &size, &info);
  };
  double size = 0;
  call(&size, -1);
  std::vector<double> work(static_cast<std::size_t>(size));
  call(work.data(), static_cast<int>(work.size()));
  if (info != 0)
    throw Error(Failure::Training, "the singular values of a matrix could not be found", {},
                "check the features for very large values, or scale them");
  return times(u, v_transposed, pool);
}

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr double kFar = std::numeric_limits<double>::infinity();

// Rows are added one at a time. Potentials keep every reduced cost cost - row - column >= 0, and 0
// on assigned cells, so the assignment so far is always the cheapest for its rows.
class Assignment {
 public:
  explicit Assignment(const MatrixD& costs)
      : costs_(costs), row_(costs.rows()), column_(costs.cols()), owner_(costs.cols(), kNone) {}

  // Dijkstra over columns from the new row to the nearest free column, along assigned cells; then
  // the assignments along that path change hands.
  void add(std::size_t row) {
    const std::size_t n = costs_.cols();
    std::vector<double> distance(n, kFar);
    std::vector<std::size_t> before(n, kNone);
    std::vector<bool> done(n, false);
    std::size_t last = kNone;
    double travelled = 0;
    for (std::size_t from = row;; from = owner_[last]) {
      std::size_t nearest = kNone;
      for (std::size_t j = 0; j < n; ++j) {
        if (done[j]) continue;
        const double there = travelled + costs_(from, j) - row_[from] - column_[j];
        if (there < distance[j]) distance[j] = there, before[j] = last;
        if (nearest == kNone || distance[j] < distance[nearest]) nearest = j;
      }
      travelled = distance[nearest];
      last = nearest;
      if (owner_[last] == kNone) break;
      done[last] = true;
    }
    row_[row] += travelled;
    for (std::size_t j = 0; j < n; ++j)
      if (done[j]) {
        row_[owner_[j]] += travelled - distance[j];
        column_[j] -= travelled - distance[j];
      }
    for (; before[last] != kNone; last = before[last]) owner_[last] = owner_[before[last]];
    owner_[last] = row;
  }

  std::vector<std::size_t> columns_of_rows() const {
    std::vector<std::size_t> columns(owner_.size());
    for (std::size_t j = 0; j < owner_.size(); ++j) columns[owner_[j]] = j;
    return columns;
  }

 private:
  const MatrixD& costs_;
  std::vector<double> row_, column_;  // potentials
  std::vector<std::size_t> owner_;    // the row of a column
};

}  // namespace

std::vector<std::size_t> cheapest_assignment(const MatrixD& costs) {
  Assignment assignment(costs);
  for (std::size_t i = 0; i < costs.rows(); ++i) assignment.add(i);
  return assignment.columns_of_rows();
}

namespace {

constexpr double kLeastReliable = 0.01;
constexpr double kNoRows = 1e-12;
constexpr double kSameMembership = 1e-6;  // change of a membership

// Means of the rows, weighted by each column of `weights`: features x columns. A column without any
// weight gets the mean of all rows.
MatrixD weighted_means(const Design& x, const MatrixD& weights, ThreadPool& pool) {
  MatrixD all(x.rows(), weights.cols() + 1);
  std::vector<double> total(all.cols());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    std::ranges::copy(weights.row(i), all.row(i).begin());
    all(i, weights.cols()) = 1;
    for (std::size_t j = 0; j < all.cols(); ++j) total[j] += all(i, j);
  }
  const MatrixD sums = transposed_times(x, all, pool);
  MatrixD means(x.cols(), weights.cols());
  for (std::size_t f = 0; f < means.rows(); ++f)
    for (std::size_t j = 0; j < means.cols(); ++j) {
      const std::size_t from = total[j] > kNoRows ? j : weights.cols();
      means(f, j) = sums(f, from) / total[from];
    }
  return means;
}

// Less the mean of all rows, so that rotations turn about the middle of the data.
MatrixD centred_means(const Design& x, const MatrixD& weights, ThreadPool& pool) {
  MatrixD means = weighted_means(x, weights, pool);
  const MatrixD middle = weighted_means(x, MatrixD(x.rows(), 1), pool);
  for (std::size_t f = 0; f < means.rows(); ++f)
    for (double& value : means.row(f)) value -= middle(f, 0);
  return means;
}

MatrixD shared_candidates(const LabelMatrix& candidates) {
  MatrixD shares(candidates.rows(), candidates.labels());
  for (std::size_t i = 0; i < shares.rows(); ++i) {
    const std::size_t count = candidates.count(i);
    for (std::size_t k = 0; k < shares.cols(); ++k)
      if (count == 0 || candidates.get(i, k))
        shares(i, k) = 1 / static_cast<double>(count == 0 ? shares.cols() : count);
  }
  return shares;
}

// Logits to shares that sum to 1, without overflow. Returns the largest change from `before`.
double softmax(std::span<double> row, std::span<const double> before) {
  const double top = *std::ranges::max_element(row);
  double sum = 0, change = 0;
  for (double& value : row) sum += value = std::exp(value - top);
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] /= sum;
    change = std::max(change, std::abs(row[j] - before[j]));
  }
  return change;
}

std::vector<double> squared_columns(const MatrixD& a) {
  std::vector<double> squares(a.cols());
  for (std::size_t f = 0; f < a.rows(); ++f)
    for (std::size_t j = 0; j < a.cols(); ++j) squares[j] += a(f, j) * a(f, j);
  return squares;
}

// Squared distances between columns: of label k (row) and cluster j (column).
MatrixD distances(const MatrixD& labels, const MatrixD& clusters, ThreadPool& pool) {
  MatrixD out = transposed_times(labels, clusters, pool);
  const std::vector<double> left = squared_columns(labels), right = squared_columns(clusters);
  for (std::size_t k = 0; k < out.rows(); ++k)
    for (std::size_t j = 0; j < out.cols(); ++j) out(k, j) = left[k] + right[j] - 2 * out(k, j);
  return out;
}

MatrixD columns_of(const MatrixD& a, const std::vector<std::size_t>& columns) {
  MatrixD out(a.rows(), columns.size());
  for (std::size_t f = 0; f < a.rows(); ++f)
    for (std::size_t k = 0; k < columns.size(); ++k) out(f, k) = a(f, columns[k]);
  return out;
}

}  // namespace

MatrixD fuzzy_clusters(const Design& x, const LabelMatrix& candidates,
                       const ClusterSettings& settings, FitRun& run) {
  MatrixD membership = shared_candidates(candidates);
  run.until(0.2);
  run.begin("clustering", settings.rounds);
  double change = 1;
  for (std::size_t round = 0; round < settings.rounds && change > kSameMembership; ++round) {
    const MatrixD centres = weighted_means(x, membership, run.pool());
    const std::vector<double> squares = squared_columns(centres);
    MatrixD next = times(x, centres, run.pool());
    change = 0;
    for (std::size_t i = 0; i < next.rows(); ++i) {
      // -|x - m|^2 / lambda, less the |x|^2 that is the same for all clusters
      for (std::size_t j = 0; j < next.cols(); ++j)
        next(i, j) = (2 * next(i, j) - squares[j]) / settings.fuzziness;
      change = std::max(change, softmax(next.row(i), membership.row(i)));
    }
    membership = std::move(next);
    run.update(round + 1);
  }
  run.end();
  return membership;
}

std::vector<std::size_t> clusters_of_labels(const Design& x, const LabelMatrix& candidates,
                                            const MatrixD& membership,
                                            const ClusterSettings& settings, FitRun& run) {
  const MatrixD prototypes = centred_means(x, numbers_of(candidates), run.pool());
  const MatrixD centres = centred_means(x, membership, run.pool());
  std::vector<std::size_t> cluster(candidates.labels());
  std::iota(cluster.begin(), cluster.end(), std::size_t{0});
  run.until(0.4);
  run.begin("matching clusters with labels", settings.rounds);
  for (std::size_t round = 0; round < settings.rounds; ++round) {
    const MatrixD rotation = best_rotation(prototypes, columns_of(centres, cluster), run.pool());
    const MatrixD rotated = times(prototypes, rotation, run.pool());
    std::vector<std::size_t> next = cheapest_assignment(distances(rotated, centres, run.pool()));
    run.update(round + 1);
    if (next == cluster) break;
    cluster = std::move(next);
  }
  run.end();
  return cluster;
}

MatrixD reliability(const LabelMatrix& candidates, const MatrixD& membership,
                    const std::vector<std::size_t>& cluster) {
  MatrixD out(candidates.rows(), candidates.labels());
  const double labels = static_cast<double>(out.cols());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t k = 0; k < out.cols(); ++k)
      out(i, k) = candidates.get(i, k) ? membership(i, cluster[k]) : 0;
    const auto [low, high] = std::ranges::minmax(out.row(i));
    const double share = 1 - static_cast<double>(candidates.count(i)) / labels;
    const double scale = high > low ? share / (high - low) : 0;
    for (std::size_t k = 0; k < out.cols(); ++k)
      out(i, k) = candidates.get(i, k) ? std::max(kLeastReliable, scale * (out(i, k) - low)) : 1;
  }
  return out;
}

}  // namespace sieve
