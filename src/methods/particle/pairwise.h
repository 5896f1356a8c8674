#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "data/prepare/scaling.h"
#include "labelsieve/labels.h"
#include "labelsieve/threads.h"

namespace sieve {

// sign(weights . x + bias) for a scaled row x.
struct LinearSvm {
  std::vector<double> weights;
  double bias = 0;
};

// The minimum of ||w||^2 / 2 + c sum max(0, 1 - y (w . x + b))^2 over the rows of two sides, y = +1
// and -1; b is free of charge. Newton's method, each step by conjugate gradients: there is nothing
// random in it, and the position of the features does not matter.
class SvmTrainer {
 public:
  // The rows must outlive the trainer. May be shared between threads.
  SvmTrainer(const ScaledRows& rows, double c);
  // Neither side may be empty.
  LinearSvm train(std::span<const std::size_t> positive,
                  std::span<const std::size_t> negative) const;

 private:
  const ScaledRows& rows_;
  double c_;
  std::vector<double> centre_;  // the mean row; steps are shorter from there
};

// The second stage of PARTICLE: a linear classifier for every pair of labels, learnt from rows
// where one is credible and the other is not even a candidate.

// Whether each label also meets the virtual label, which separates relevant from irrelevant.
enum class Virtual { Without, With };

struct PairwiseClassifiers {
  std::size_t labels = 0;
  // (features + 1) x classifiers: weights on scaled features, and the bias in the last row. First
  // the pairs (0, 1), (0, 2), ..., (1, 2), ..., then a label against the virtual one, by label.
  MatrixD weights;
  // The share of its own training rows that a classifier gets right; 0: there was nothing to train
  // it on, and it has no say.
  std::vector<double> accuracy;

  std::size_t pairs() const { return labels * (labels - 1) / 2; }
};

// Rows that are credible for one label of a pair and not candidates for the other, and the reverse.
// Rows that would stand on both sides (credible labels that are no candidates) stand on neither.
struct PairRows {
  std::vector<std::size_t> positive, negative;
};
PairRows pair_rows(const LabelMatrix& candidates, const LabelMatrix& credible, std::size_t j,
                   std::size_t k);
// Rows where the label is credible, and where it is not a candidate.
PairRows virtual_rows(const LabelMatrix& candidates, const LabelMatrix& credible, std::size_t j);

PairwiseClassifiers train_pairwise(const ScaledRows& rows, const LabelMatrix& candidates,
                                   const LabelMatrix& credible, Virtual with_virtual, double c,
                                   ThreadPool& pool, Progress& progress);

// Calls take(row, outputs) for every row, from many threads; an output above 0 is for the first
// label of its pair.
void for_each_output(
    const PairwiseClassifiers& classifiers, const ScaledRows& rows, ThreadPool& pool,
    const std::function<void(std::size_t row, std::span<const double> outputs)>& take);

// Each classifier votes with its accuracy: one vote count per label, and that of the virtual label
// last.
std::vector<double> weighted_votes(const PairwiseClassifiers& classifiers,
                                   std::span<const double> outputs);

// How many pairs each label wins, 0 ... labels - 1. A pair without a classifier is half a win for
// both; halves are rounded down.
std::vector<std::size_t> pairwise_wins(const PairwiseClassifiers& classifiers,
                                       std::span<const double> outputs);

}  // namespace sieve
