#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/prepare/scaling.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "methods/pml_lc_fp/subset_rule.h"
#include "methods/shared/fit_support.h"

namespace sieve {

// The candidates of all rows one after the other; numbers that belong to a candidate (confidences,
// distances) are kept in arrays of the same order.
struct CandidateLists {
  explicit CandidateLists(const LabelMatrix& candidates) : labels(candidates.labels()) {
    starts.push_back(0);
    for (std::size_t i = 0; i < candidates.rows(); ++i) {
      candidates.for_each(i, [&](std::size_t k) { all.push_back(static_cast<std::uint32_t>(k)); });
      starts.push_back(all.size());
    }
  }

  std::size_t rows() const { return starts.size() - 1; }
  std::size_t count(std::size_t row) const { return starts[row + 1] - starts[row]; }
  std::span<const std::uint32_t> of(std::size_t row) const {
    return {all.data() + starts[row], count(row)};
  }
  // The part of an array of numbers, one per candidate, that belongs to a row.
  template <class T>
  std::span<T> part(std::vector<T>& numbers, std::size_t row) const {
    return {numbers.data() + starts[row], count(row)};
  }
  template <class T>
  std::span<const T> part(const std::vector<T>& numbers, std::size_t row) const {
    return {numbers.data() + starts[row], count(row)};
  }
  // 1 / g of a row with candidates: what makes rows with many pairs count like others.
  // paper: g = |S| |N| + |S|^2 / 2
  double pair_weight(std::size_t row) const {
    const auto in = static_cast<double>(count(row)), out = static_cast<double>(labels) - in;
    return 1 / (in * out + in * in / 2);
  }

  std::size_t labels;
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> all;
};

// What the confidences P of a row cost besides the ranking losses:
//   - correlation * sum_kl similarity_kl P_k P_l   (PML-LC)   paper: C2, S
//   + sum_k charge_k P_k                           (PML-FP)   paper: C3 ||x - Q_k||
struct ConfidenceTerms {
  double weight = 1;  // of the ranking losses   paper: C1
  double correlation = 0;
  MatrixD similarity;          // labels x labels, symmetric, 0 on the diagonal
  std::vector<double> charge;  // one per candidate of all rows; empty: none
};

// How often two labels are candidates of the same row: n_kl / (n_k + n_l - n_kl).
MatrixD label_similarity(const CandidateLists& lists);

// The P-step of one row after the other. Holds buffers: one per thread.
class ConfidenceStep {
 public:
  ConfidenceStep(const CandidateLists& lists, const ConfidenceTerms& terms)
      : lists_(lists), terms_(terms) {}

  struct Change {
    double before, after;  // the row's part of the objective; after <= before
  };
  // Finds better confidences for the scores of a row. Without correlation they are the best there
  // are; with it the objective is not convex, and a chain of linearised problems (generalised
  // Frank-Wolfe with a line search) goes down to a stationary point.
  Change improve(std::size_t row, std::span<const double> scores, std::span<double> confidence);

 private:
  void set_losses(std::size_t row, std::span<const double> scores);
  double objective(std::size_t row, std::span<const double> confidence) const;
  bool descend(std::size_t row, double& value, std::span<double> confidence);
  double similarity(std::size_t row, std::size_t k, std::span<const double> confidence) const;

  const CandidateLists& lists_;
  const ConfidenceTerms& terms_;
  SubsetCost losses_, linear_;
  SubsetRule rule_;
  std::vector<double> target_, trial_;
  std::vector<char> inside_;
};

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

struct AlternationSettings {
  std::size_t rounds = 20;  // at most
  double tolerance = 1e-3;  // a round that lowers the objective by less than this share is the last
  std::size_t passes = 50;  // at most, in a W-step
  double gap = 1e-2;        // relative duality gap at which a W-step ends
  std::uint64_t seed = 1;
};

struct AlternationResult {
  MatrixD weights;                 // features x labels
  std::vector<double> bias;        // one per label
  std::vector<double> confidence;  // one per candidate of all rows
  std::vector<double> objective;   // after each W-step and each P-step; never rises
  std::size_t passes = 0;
};

// Minimises the objective of PML-LC or PML-FP over weights and confidences in turn, from full
// confidence in every candidate.
AlternationResult alternate(const ScaledRows& rows, const CandidateLists& lists,
                            const ConfidenceTerms& terms, const AlternationSettings& settings,
                            FitRun& run);

}  // namespace sieve
