#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/prepare/scaling.h"
#include "labelsieve/labels.h"
#include "labelsieve/threads.h"
#include "linalg/neighbours.h"

// The first stage of PARTICLE: which candidates are credible.
namespace sieve {

// Each row as a mixture of its neighbours. paper: H
struct Mixture {
  Neighbours neighbours;
  std::vector<double> weights;  // rows x neighbours.count; >= 0; a row sums to 1, or to 0

  std::span<const double> of(std::size_t row) const {
    return {weights.data() + row * neighbours.count, neighbours.count};
  }
};
// The non-negative weights that rebuild each row best, made to sum to 1.
Mixture mix_neighbours(const ScaledRows& rows, std::size_t k, Self self, ThreadPool& pool,
                       Progress& progress);

// The fixed point of F <- alpha H F + (1 - alpha) F0, after every step zero outside the candidates
// and each row made to sum to 1; F0 spreads 1 evenly over the candidates of a row. rows x labels.
MatrixD propagate(const Mixture& mixture, const LabelMatrix& candidates, double alpha,
                  ThreadPool& pool);
MatrixD even_confidences(const LabelMatrix& candidates);  // F0

// Scales each label to the mass that the candidates give it.
void balance_labels(MatrixD& confidences, const LabelMatrix& candidates);
// Scales rows to [0, 1]: the best candidate of every row gets 1.
void stretch_rows(MatrixD& confidences);

struct CredibleSettings {
  std::size_t k = 10;
  double alpha = 0.95, threshold = 0.9;
  bool balance = true, released = false;
  std::size_t folds = 10;  // of the released way
};
// The credible labels of every row. The paper's way: candidates whose propagated confidence reaches
// the threshold. The released way: those that the rows of other folds vouch for; a row whose
// candidates nobody vouches for takes what its neighbours have.
LabelMatrix credible_labels(const ScaledRows& rows, const LabelMatrix& candidates,
                            const CredibleSettings& settings, std::uint64_t seed, ThreadPool& pool,
                            Progress& progress);

}  // namespace sieve
