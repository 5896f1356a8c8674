#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/prepare/scaling.h"
#include "labelsieve/matrix.h"
#include "methods/pml_lc_fp/candidate_lists.h"

namespace sieve {

// The W-step: the linear scores f_k(x) = <w_k, x> + b_k that minimise
//   sum_k (||w_k||^2 + b_k^2) + sum_ikl u_ikl max(0, 1 - f_k(x_i) + f_l(x_i)),
//   u_ikl = weight / g_i * max(0, P_ik - P_il),
// by coordinate ascent on the dual, one variable a_ikl in [0, u_ikl] a pair:
//   w_k = 1/2 sum_i c_ik x_i,  c_ik = sum_l (a_ikl - a_ilk).
// All pairs of a row only move the weights along x_i, so a row takes one product with the weights
// and one update of them, however many pairs it has. The order is a fixed shuffle a pass; the
// passes are one chain of updates and use one thread. Variables are kept from one call of train to
// the next. Memory: 8 bytes * labels for each candidate of each row.
class PairRanker {
 public:
  PairRanker(const ScaledRows& rows, const CandidateLists& lists, double weight,
             std::uint64_t seed);

  // One pass over all rows for the given confidences P. Returns the duality gap relative to the
  // objective, with the losses as they were when the pass came by.
  double pass(const std::vector<double>& confidence);

  // f(x_row), one score a label.
  void scores(std::size_t row, std::span<double> out) const;
  std::size_t padded_labels() const { return weights_.cols(); }  // the length of `out` above
  double squared_norm() const;                                   // sum_k ||w_k||^2 + b_k^2
  double dual_objective() const;  // sum a - squared_norm(), once a pass made all a feasible

  MatrixD weights() const;                               // features x labels
  std::vector<double> bias() const;                      // one per label
  std::span<const double> duals(std::size_t row) const;  // candidates x labels

 private:
  struct Loss;
  void move_pairs(std::size_t row, std::span<const double> confidence, Loss& loss);

  const ScaledRows& rows_;
  const CandidateLists& lists_;
  double weight_;
  std::uint64_t seed_;
  std::uint64_t passes_ = 0;
  std::vector<double> along_shift_;  // <stored row, shift>
  std::vector<double> length_;       // ||x_i||^2 + 1
  double shift_length_ = 1;          // ||shift||^2 + 1
  std::vector<double> duals_;
  // w = weights_ + shift total', b = total. seen_ = weights_' shift.
  MatrixD weights_;
  std::vector<double> total_, seen_;
  std::vector<double> score_, change_, confidence_;  // of the row at hand, one per label
};

}  // namespace sieve
