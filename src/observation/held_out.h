#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "labelsieve/observation.h"

namespace sieve {

// Some of the looks, to learn from how well the votes of one person follow from those of others.
class HeldOutLooks {
 public:
  // Takes whole rows, evenly spread, up to a bounded number of looks.
  explicit HeldOutLooks(const CrowdView& view);

  // What a tick and its absence say, and the rates of people; all people x labels.
  struct Tables {
    const Matrix &if_ticked, &if_passed;
    const MatrixD &sensitivity, &false_ticks;
  };
  // The weights of each label that predict its held-out votes best, starting from what they are.
  void learn_weights(const Tables& tables, bool other_labels, std::vector<LabelWeights>& weights,
                     ThreadPool& pool) const;

 private:
  struct Look {
    std::size_t row, look, sampled_row;
  };
  void measure_shares();
  // What others than the look's own person say about each label.
  Matrix evidence_of_others(const Tables& tables, ThreadPool& pool) const;
  std::vector<std::uint32_t> telling_labels(std::size_t label) const;
  struct Problem;
  Problem pose(const Tables& tables, const Matrix& evidence, bool other_labels, std::size_t label,
               const LabelWeights& before) const;
  void learn_label(const Tables& tables, const Matrix& evidence, bool other_labels,
                   std::size_t label, LabelWeights& weights) const;

  CrowdView view_;
  std::vector<Look> looks_;
  LabelMatrix ticked_;  // by look
  std::vector<std::size_t> rows_;
  Matrix ticks_;  // sampled rows x labels: how many ticked it
  std::vector<double> tick_rate_, share_mean_, share_spread_;
  double looks_per_row_ = 1;
};

}  // namespace sieve
