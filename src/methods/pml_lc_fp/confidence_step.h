#pragma once

#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "methods/pml_lc_fp/candidate_lists.h"
#include "methods/pml_lc_fp/subset_rule.h"

namespace sieve {

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

}  // namespace sieve
