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
class LinearModel final : public RealScoreModel {
 public:
  // Takes a state as linear_state made it; Error(Model) if it does not fit together.
  explicit LinearModel(ModelState state);

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override;

 private:
  MatrixD weights_;                  // (features + 1) x labels, for features as they come
  std::optional<MatrixD> evidence_;  // the same for score - against
};

// Writes the parts down. `state` already tells method, options, names, scaler and notes.
ModelState linear_state(ModelState state, const LinearParts& parts);

std::unique_ptr<Model> load_linear_model(ModelState state);

}  // namespace sieve
