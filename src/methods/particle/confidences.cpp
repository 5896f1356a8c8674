#include "methods/particle/confidences.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "labelsieve/prepare.h"
#include "linalg/entries.h"
#include "linalg/least_squares.h"

namespace sieve {
namespace {

constexpr std::size_t kRowsAtOnce = 64;
constexpr std::size_t kMostSteps = 1000;
constexpr double kTolerance = 1e-5;  // of a step of the propagation, Frobenius

double dot(const CsrMatrix::Row& a, const CsrMatrix::Row& b) {
  double sum = 0;
  for (std::size_t i = 0, j = 0; i < a.columns.size() && j < b.columns.size();) {
    if (a.columns[i] == b.columns[j]) sum += static_cast<double>(a.values[i]) * b.values[j];
    const bool left = a.columns[i] <= b.columns[j], right = b.columns[j] <= a.columns[i];
    i += left;
    j += right;
  }
  return sum;
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sums[4] = {};
  for (std::size_t j = 0; j < a.size(); ++j) sums[j % 4] += static_cast<double>(a[j]) * b[j];
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

// Inner products of scaled rows; those of sparse rows without writing them out.
class InnerProducts {
 public:
  explicit InnerProducts(const ScaledRows& rows) : x_(rows.x), with_shift_(rows.rows()) {
    for (std::size_t i = 0; i < with_shift_.size(); ++i)
      for_each_entry(x_, i,
                     [&](std::size_t j, double value) { with_shift_[i] += value * rows.shift[j]; });
    for (const double s : rows.shift) shift_square_ += s * s;
  }
  double operator()(std::size_t a, std::size_t b) const {
    const double plain = x_.is_sparse() ? dot(x_.sparse().row(a), x_.sparse().row(b))
                                        : dot(x_.dense().row(a), x_.dense().row(b));
    return plain + with_shift_[a] + with_shift_[b] + shift_square_;
  }

 private:
  const Features& x_;
  std::vector<double> with_shift_;
  double shift_square_ = 0;
};

void make_sum_one(std::span<double> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (sum > 0)
    for (double& value : values) value /= sum;
}

void rebuild_row(const InnerProducts& product, std::size_t row,
                 std::span<const std::uint32_t> neighbours, std::span<double> weights) {
  MatrixD gram(neighbours.size(), neighbours.size());
  std::vector<double> right;
  for (std::size_t a = 0; a < neighbours.size(); ++a) {
    right.push_back(product(row, neighbours[a]));
    for (std::size_t b = 0; b <= a; ++b)
      gram(a, b) = gram(b, a) = product(neighbours[a], neighbours[b]);
  }
  std::ranges::copy(nonnegative_least_squares(gram, right), weights.begin());
  make_sum_one(weights);
}

// One row of alpha H F + (1 - alpha) F0 on the candidates; returns how far it moved, squared.
double propagate_row(const Mixture& mixture, const LabelMatrix& candidates, double alpha,
                     const MatrixD& from, std::size_t row, std::span<double> to) {
  const std::span<const std::uint32_t> neighbours = mixture.neighbours.of(row);
  const std::span<const double> weights = mixture.of(row);
  const double start = (1 - alpha) / static_cast<double>(candidates.count(row));
  double sum = 0;
  candidates.for_each(row, [&](std::size_t k) {
    double mixed = 0;
    for (std::size_t n = 0; n < neighbours.size(); ++n)
      mixed += weights[n] * from(neighbours[n], k);
    sum += to[k] = alpha * mixed + start;
  });
  // Nothing came from the neighbours and nothing was left of the start: begin again.
  if (sum <= 0) candidates.for_each(row, [&](std::size_t k) { sum += to[k] = 1; });
  double moved = 0;
  candidates.for_each(row, [&](std::size_t k) {
    to[k] /= sum;
    moved += (to[k] - from(row, k)) * (to[k] - from(row, k));
  });
  return moved;
}

void min_max(std::span<double> values) {
  const auto [low, high] = std::ranges::minmax(values);
  for (double& value : values) value = high > low ? (value - low) / (high - low) : high > 0;
}

// What the neighbours of a row, found among rows with known confidences, say of each label.
std::vector<double> vouch(const Neighbours& neighbours, std::size_t row, const MatrixD& known) {
  const std::span<const double> distances = neighbours.distances(row);
  const double sum = std::accumulate(distances.begin(), distances.end(), 0.0);
  std::vector<double> said(known.cols());
  for (std::size_t n = 0; n < neighbours.count; ++n) {
    // A neighbour that is the only one counts in full.
    const double weight = sum > 0 && neighbours.count > 1 ? 1 - distances[n] / sum : 1;
    for (std::size_t k = 0; k < said.size(); ++k)
      said[k] += weight * known(neighbours.of(row)[n], k);
  }
  min_max(said);
  return said;
}

void take_credible(std::span<const double> said, double threshold, std::size_t row,
                   const LabelMatrix& candidates, LabelMatrix& credible) {
  if (candidates.count(row) == 0) return;
  for (const bool outside : {false, true}) {
    for (std::size_t k = 0; k < said.size(); ++k)
      if (said[k] >= threshold && (outside || candidates.get(row, k))) credible.set(row, k);
    if (credible.count(row) > 0) return;
  }
}

// There each row is its own nearest neighbour and rebuilds itself, H is the identity and the
// propagation stays at its start: we do not search for what is known.
LabelMatrix released_way(const ScaledRows& rows, const LabelMatrix& candidates,
                         const CredibleSettings& settings, std::uint64_t seed, ThreadPool& pool,
                         Progress& progress) {
  LabelMatrix credible(rows.rows(), candidates.labels());
  const auto folds = folds_random(rows.rows(), std::min(settings.folds, rows.rows()), seed);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const Split split = split_of_fold(folds, f);
    const LabelMatrix known_candidates = candidates.select_rows(split.train);
    MatrixD known = even_confidences(known_candidates);
    if (settings.balance) balance_labels(known, known_candidates);
    stretch_rows(known);
    const Neighbours neighbours =
        nearest_neighbours(rows.x.select_rows(split.test), rows.x.select_rows(split.train),
                           settings.k, Self::Allowed, pool, progress);
    for (std::size_t i = 0; i < split.test.size(); ++i)
      take_credible(vouch(neighbours, i, known), settings.threshold, split.test[i], candidates,
                    credible);
  }
  return credible;
}

}  // namespace

Mixture mix_neighbours(const ScaledRows& rows, std::size_t k, Self self, ThreadPool& pool,
                       Progress& progress) {
  Mixture out{nearest_neighbours(rows.x, rows.x, k, self, pool, progress), {}};
  const std::size_t count = out.neighbours.count;
  out.weights.resize(rows.rows() * count);
  const InnerProducts product(rows);
  pool.for_blocks(rows.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      rebuild_row(product, i, out.neighbours.of(i), {out.weights.data() + i * count, count});
  });
  return out;
}

MatrixD even_confidences(const LabelMatrix& candidates) {
  MatrixD out(candidates.rows(), candidates.labels());
  for (std::size_t i = 0; i < candidates.rows(); ++i) {
    const double share = 1 / static_cast<double>(candidates.count(i));
    candidates.for_each(i, [&](std::size_t k) { out(i, k) = share; });
  }
  return out;
}

MatrixD propagate(const Mixture& mixture, const LabelMatrix& candidates, double alpha,
                  ThreadPool& pool) {
  MatrixD now = even_confidences(candidates), next(now.rows(), now.cols());
  std::vector<double> moved(now.rows());
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    pool.for_blocks(now.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        moved[i] = propagate_row(mixture, candidates, alpha, now, i, next.row(i));
    });
    std::swap(now, next);
    if (std::sqrt(std::accumulate(moved.begin(), moved.end(), 0.0)) < kTolerance) break;
  }
  return now;
}

void balance_labels(MatrixD& confidences, const LabelMatrix& candidates) {
  const std::vector<std::size_t> mass = candidates.label_counts();
  std::vector<double> sums(confidences.cols());
  for (std::size_t i = 0; i < confidences.rows(); ++i)
    candidates.for_each(i, [&](std::size_t k) { sums[k] += confidences(i, k); });
  for (std::size_t i = 0; i < confidences.rows(); ++i)
    candidates.for_each(i, [&](std::size_t k) {
      if (sums[k] > 0) confidences(i, k) *= static_cast<double>(mass[k]) / sums[k];
    });
}

void stretch_rows(MatrixD& confidences) {
  for (std::size_t i = 0; i < confidences.rows(); ++i) min_max(confidences.row(i));
}

LabelMatrix credible_labels(const ScaledRows& rows, const LabelMatrix& candidates,
                            const CredibleSettings& settings, std::uint64_t seed, ThreadPool& pool,
                            Progress& progress) {
  if (settings.released && rows.rows() > 1)
    return released_way(rows, candidates, settings, seed, pool, progress);
  const Mixture mixture = mix_neighbours(rows, settings.k, Self::Excluded, pool, progress);
  MatrixD confidences = propagate(mixture, candidates, settings.alpha, pool);
  if (settings.balance) balance_labels(confidences, candidates);
  stretch_rows(confidences);
  LabelMatrix credible(rows.rows(), candidates.labels());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    candidates.for_each(i, [&](std::size_t k) {
      if (confidences(i, k) >= settings.threshold) credible.set(i, k);
    });
  return credible;
}

}  // namespace sieve
