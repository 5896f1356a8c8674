#pragma once

#include <memory>
#include <span>
#include <vector>

#include "labelsieve/learner.h"
#include "methods/shared/out_of_fold.h"

namespace sieve {

// A ridge regression on sparse rows, such as those of texts: every feature counts the more the
// fewer rows have it, and then all rows have length 1. A part of a blend.
class RidgeModel final : public Model, public OutOfFoldModel {
 public:
  // Error(Model) if the state does not fit together.
  explicit RidgeModel(ModelState state, Matrix held_out_scores = {});

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  LabelMatrix decide(const Matrix& scores) const override;
  Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }
  const Matrix* held_out_scores() const override {
    return held_out_.rows() > 0 ? &held_out_ : nullptr;
  }
  Matrix held_out_probabilities(const LabelMatrix& candidates) const override;

 private:
  ModelState state_;
  Matrix held_out_;
};

// Null where rows are not sparse, too few or too many. `rates`: at what rate each label becomes a
// candidate where it is not right.
std::unique_ptr<RidgeModel> fit_ridge_part(const TrainingData& data, std::span<const float> rates,
                                           ThreadPool& pool, Progress& progress);

// For the table of the parts of a blend alone: no method of its own.
MethodInfo ridge_method();

}  // namespace sieve
