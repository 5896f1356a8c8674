#pragma once

#include <memory>
#include <optional>

#include "labelsieve/learner.h"
#include "methods/particle/counts.h"
#include "methods/particle/pairwise.h"

namespace sieve {

struct ParticleParts {
  PairwiseClassifiers classifiers;
  std::optional<WinCounts> counts;  // PARTICLE-MAP only; then there is no virtual label
};

// Scores are in [0, 1], and a label is on above 1/2.
//   PARTICLE-VLS  1/2 + (votes of the label - votes of the virtual label) / (2 labels)
//   PARTICLE-MAP  the posterior P(right | pairs won)
// The confidence in a candidate is its score.
class ParticleModel final : public Model {
 public:
  // Takes a state as particle_state made it; Error(Model) if it does not fit together.
  explicit ParticleModel(ModelState state);

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  LabelMatrix decide(const Matrix& scores) const override;
  Matrix confidence(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }

 private:
  void score_votes(std::span<const double> outputs, std::span<float> scores) const;
  void score_wins(std::span<const double> outputs, std::span<float> scores) const;

  ModelState state_;
  ParticleParts parts_;
  bool whole_votes_ = false;  // option ceil
};

// Writes the parts down. `state` already tells method, options, names, scaler and notes.
ModelState particle_state(ModelState state, const ParticleParts& parts);

std::unique_ptr<Model> load_particle_model(ModelState state);

}  // namespace sieve
