#pragma once

#include <algorithm>
#include <span>

#include "labelsieve/dataset.h"

namespace sieve {

// What a method that can learn from probabilities should say of each label of each row: how likely
// it is right where that is known (TrainingData::beliefs), else the candidates as 0 and 1. A view.
class Targets {
 public:
  Targets(const LabelMatrix& candidates, const CandidateScores* probabilities = nullptr)
      : candidates_(&candidates), probabilities_(probabilities) {}
  explicit Targets(const TrainingData& data) : Targets(data.candidates, data.probabilities.get()) {
    if (data.weights) weights_ = *data.weights;
  }

  std::size_t rows() const { return candidates_->rows(); }
  std::size_t labels() const { return candidates_->labels(); }
  const LabelMatrix& candidates() const { return *candidates_; }
  // Whether they say how likely labels are right, not what somebody ticked: no noise to look for.
  bool are_probabilities() const { return probabilities_ != nullptr; }
  // How much each row counts: empty, or one per row, 1 on average.
  std::span<const float> weights() const { return weights_; }
  float weight(std::size_t row) const { return weights_.empty() ? 1.0F : weights_[row]; }
  float operator()(std::size_t row, std::size_t label) const {
    return are_probabilities()            ? (*probabilities_)(row, label)
           : candidates_->get(row, label) ? 1.0F
                                          : 0.0F;
  }

  // Calls visit(label, target) for the labels of a row that are not 0, ascending.
  template <class Visit>
  void for_each(std::size_t row, Visit&& visit) const {
    if (are_probabilities())
      probabilities_->for_each(row, visit);
    else
      candidates_->for_each(row, [&](std::size_t label) { visit(label, 1.0F); });
  }
  // One number per label.
  void copy_row(std::size_t row, std::span<float> into) const {
    std::ranges::fill(into, 0.0F);
    for_each(row, [&](std::size_t label, float target) { into[label] = target; });
  }

 private:
  const LabelMatrix* candidates_;
  const CandidateScores* probabilities_;
  std::span<const float> weights_{};
};

}  // namespace sieve
