#include "methods/particle/pairwise.h"

#include <algorithm>

#include "base/stage_progress.h"
#include "linalg/ridge.h"
#include "methods/particle/linear_svm.h"

namespace sieve {
namespace {

constexpr std::size_t kRowsAtOnce = 64;

// Calls visit(classifier, j, k) for each pair of labels j < k.
template <class Visit>
void for_each_pair(std::size_t labels, Visit&& visit) {
  std::size_t classifier = 0;
  for (std::size_t j = 0; j < labels; ++j)
    for (std::size_t k = j + 1; k < labels; ++k) visit(classifier++, j, k);
}

void write_column(const LinearSvm& svm, std::size_t column, MatrixD& weights) {
  for (std::size_t j = 0; j < svm.weights.size(); ++j) weights(j, column) = svm.weights[j];
  weights(svm.weights.size(), column) = svm.bias;
}

// A matrix for rows as they are stored: the shift that sparse rows lack goes into the bias.
MatrixD for_stored_rows(const MatrixD& weights, const ScaledRows& rows) {
  MatrixD out = weights.clone();
  const std::size_t bias = rows.shift.size();
  for (std::size_t j = 0; j < bias; ++j)
    for (std::size_t p = 0; p < out.cols(); ++p) out(bias, p) += rows.shift[j] * weights(j, p);
  return out;
}

double share_right(const LinearSvm& svm, const ScaledRows& rows, const PairRows& sides) {
  MatrixD column(svm.weights.size() + 1, 1);
  write_column(svm, 0, column);
  const MatrixD stored = for_stored_rows(column, rows);
  std::size_t right = 0;
  double output = 0;
  for (const std::size_t i : sides.positive) {
    ridge_scores(stored, rows.x, i, {&output, 1});
    right += output > 0;
  }
  for (const std::size_t i : sides.negative) {
    ridge_scores(stored, rows.x, i, {&output, 1});
    right += output <= 0;
  }
  return static_cast<double>(right) /
         static_cast<double>(sides.positive.size() + sides.negative.size());
}

}  // namespace

PairRows pair_rows(const LabelMatrix& candidates, const LabelMatrix& credible, std::size_t j,
                   std::size_t k) {
  PairRows sides;
  for (std::size_t i = 0; i < candidates.rows(); ++i) {
    const bool first = credible.get(i, j) && !candidates.get(i, k);
    const bool second = credible.get(i, k) && !candidates.get(i, j);
    if (first && !second) sides.positive.push_back(i);
    if (second && !first) sides.negative.push_back(i);
  }
  return sides;
}

PairRows virtual_rows(const LabelMatrix& candidates, const LabelMatrix& credible, std::size_t j) {
  PairRows sides;
  for (std::size_t i = 0; i < candidates.rows(); ++i) {
    if (credible.get(i, j))
      sides.positive.push_back(i);
    else if (!candidates.get(i, j))
      sides.negative.push_back(i);
  }
  return sides;
}

PairwiseClassifiers train_pairwise(const ScaledRows& rows, const LabelMatrix& candidates,
                                   const LabelMatrix& credible, Virtual with_virtual, double c,
                                   ThreadPool& pool, Progress& progress) {
  PairwiseClassifiers out;
  out.labels = candidates.labels();
  std::vector<std::pair<std::size_t, std::size_t>> members;  // k = labels: the virtual label
  for_each_pair(out.labels,
                [&](std::size_t, std::size_t j, std::size_t k) { members.emplace_back(j, k); });
  for (std::size_t j = 0; j < out.labels && with_virtual == Virtual::With; ++j)
    members.emplace_back(j, out.labels);
  out.weights = MatrixD(rows.x.cols() + 1, members.size());
  out.accuracy.resize(members.size());
  const SvmTrainer trainer(rows, c);
  for_each_with_progress(
      pool, progress, "training classifiers", members.size(), [&](std::size_t p) {
        const auto [j, k] = members[p];
        const PairRows sides = k < out.labels ? pair_rows(candidates, credible, j, k)
                                              : virtual_rows(candidates, credible, j);
        if (sides.positive.empty() || sides.negative.empty()) return;
        const LinearSvm svm = trainer.train(sides.positive, sides.negative);
        out.accuracy[p] = share_right(svm, rows, sides);
        write_column(svm, p, out.weights);
      });
  return out;
}

void for_each_output(
    const PairwiseClassifiers& classifiers, const ScaledRows& rows, ThreadPool& pool,
    const std::function<void(std::size_t row, std::span<const double> outputs)>& take) {
  const MatrixD weights = for_stored_rows(classifiers.weights, rows);
  pool.for_blocks(rows.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    std::vector<double> outputs(weights.cols());
    for (std::size_t i = first; i < last; ++i) {
      ridge_scores(weights, rows.x, i, outputs);
      take(i, outputs);
    }
  });
}

std::vector<double> weighted_votes(const PairwiseClassifiers& classifiers,
                                   std::span<const double> outputs) {
  const std::size_t labels = classifiers.labels, pairs = classifiers.pairs();
  std::vector<double> votes(labels + 1);
  const auto vote = [&](std::size_t p, std::size_t first, std::size_t second) {
    votes[outputs[p] > 0 ? first : second] += classifiers.accuracy[p];
  };
  for_each_pair(labels, vote);
  for (std::size_t j = 0; j < labels; ++j) vote(pairs + j, j, labels);
  return votes;
}

std::vector<std::size_t> pairwise_wins(const PairwiseClassifiers& classifiers,
                                       std::span<const double> outputs) {
  std::vector<std::size_t> halves(classifiers.labels);
  for_each_pair(classifiers.labels, [&](std::size_t p, std::size_t j, std::size_t k) {
    const bool missing = classifiers.accuracy[p] <= 0, first = outputs[p] > 0;
    halves[j] += missing ? 1 : 2 * first;
    halves[k] += missing ? 1 : 2 * !first;
  });
  for (std::size_t& count : halves) count /= 2;
  return halves;
}

}  // namespace sieve
