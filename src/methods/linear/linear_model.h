#pragma once

#include <optional>

#include "labelsieve/learner.h"
#include "methods/shared/decision.h"

namespace sieve {

// Weights of a linear map to labels: features (and a last row for the bias, if there is one) x
// labels, on scaled features.
struct LinearParts {
  MatrixD weights;
  std::optional<MatrixD> against;  // the same shape: what speaks for noise
  Decision decision;
  CandidateConfidence confidence;  // of score - against
};

// scores = scaled features . weights + intercept, computed in float64. Takes dense and sparse
// features alike, whatever it was fitted on: scaling is part of the weights.
class LinearModel final : public Model {
 public:
  // Takes a state as linear_state made it; Error(Model) if it does not fit together.
  explicit LinearModel(ModelState state);

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  LabelMatrix decide(const Matrix& scores) const override { return decision_.decide(scores); }
  Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }
  const Decision& decision() const { return decision_; }

 private:
  Matrix on_unit_scale(Matrix scores) const override {
    return confidence_.of_all(std::move(scores));
  }

  ModelState state_;
  MatrixD weights_;                  // (features + 1) x labels, for features as they come
  std::optional<MatrixD> evidence_;  // the same for score - against
  Decision decision_;
  CandidateConfidence confidence_;
};

// Writes the parts down. `state` already tells method, options, names, scaler and notes.
ModelState linear_state(ModelState state, const LinearParts& parts);

std::unique_ptr<Model> load_linear_model(ModelState state);

}  // namespace sieve
