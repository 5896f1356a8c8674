#include "methods/capml/reliability.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/dense.h"
#include "methods/capml/assignment.h"
#include "methods/capml/rotation.h"

namespace sieve {
namespace {

constexpr double kLeastReliable = 0.01;
constexpr double kNoRows = 1e-12;
constexpr double kSettled = 1e-6;  // change of a membership

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
  run.begin("clustering", settings.rounds);
  double change = 1;
  for (std::size_t round = 0; round < settings.rounds && change > kSettled; ++round) {
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
