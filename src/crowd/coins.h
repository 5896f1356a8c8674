#pragma once

#include <cstddef>
#include <vector>

#include "crowd/strength.h"

namespace sieve {

// Dawid and Skene's model: a label is right or not, and an annotator ticks it with one rate in
// either case. Prior log-odds are offset_l + slope_l * covariate.
class CoinsModel {
 public:
  CoinsModel(const MemberInput& input, std::size_t rounds, ThreadPool& pool);

  // Log-odds that each label of the row is right: prior and votes.
  void log_odds(const MemberInput& input, std::size_t row, std::span<float> into) const;
  const MatrixD& sensitivity() const { return sensitivity_; }
  const MatrixD& false_positive_rate() const { return false_positive_rate_; }
  // By how much a vote moves the log-odds.
  float evidence(std::size_t annotator, std::size_t label, bool ticked) const {
    return (ticked ? if_ticked_ : if_passed_)(annotator, label);
  }
  double offset(std::size_t label) const { return offset_[label]; }
  double slope(std::size_t label) const { return slope_[label]; }

 private:
  struct Sums;
  Sums expect(const MemberInput& input, bool by_shares, ThreadPool& pool) const;
  void maximise(const MemberInput& input, const Sums& sums);

  std::size_t annotators_ = 0, labels_ = 0;
  double rows_ = 0;
  std::vector<double> annotations_;
  MatrixD ticks_;   // annotators x labels
  MatrixD unsure_;  // the same, or no rows where nobody is unsure
  MatrixD sensitivity_, false_positive_rate_;
  Matrix if_ticked_, if_passed_;
  std::vector<double> offset_, slope_;
};

}  // namespace sieve
