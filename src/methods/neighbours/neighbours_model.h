#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "labelsieve/learner.h"
#include "methods/neighbours/directions.h"
#include "methods/shared/out_of_fold.h"

namespace sieve {

// What rows that are alike say of a row: labels were spread from annotated rows over all rows, with
// and without labels. A part of a blend.
class NeighboursModel final : public Model, public OutOfFoldModel {
 public:
  // Error(Model) if the state does not fit together.
  explicit NeighboursModel(ModelState state, Matrix held_out_scores = {});

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
  Directions directions_;
  Features points_;
  Matrix said_;
  Matrix held_out_;
};

// Null where no feature varies, or there are fewer than five rows with labels. `rates`: at what
// rate each label becomes a candidate where it is not right.
std::unique_ptr<NeighboursModel> fit_neighbours(const TrainingData& data,
                                                std::span<const float> rates, std::uint64_t seed,
                                                ThreadPool& pool, Progress& progress);

// For the table of the parts of a blend alone: no method of its own.
MethodInfo neighbours_method();

}  // namespace sieve
