#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/learner.h"
#include "labelsieve/matrix.h"
#include "methods/particle/pairwise.h"
#include "methods/shared/decision.h"

namespace sieve {

// What PARTICLE-MAP knows of each label: how often it is right, and how many pairs it wins when it
// is right and when it is not.
struct WinCounts {
  std::vector<double> prior;  // one per label
  MatrixD right, wrong;       // labels x labels: P(wins of the label | right), P(wins | not right)

  // P(right | wins)
  double posterior(std::size_t label, std::size_t wins) const;
};

// wins: rows x labels, each 0 ... labels - 1, of rows that the classifiers have not seen. Credible
// labels count as right, those outside the candidates as not right; `smoothing` is added to every
// count.
WinCounts count_wins(const BasicMatrix<std::size_t>& wins, const LabelMatrix& candidates,
                     const LabelMatrix& credible, double smoothing);

struct ParticleParts {
  PairwiseClassifiers classifiers;
  std::optional<WinCounts> counts;  // PARTICLE-MAP only; then there is no virtual label
};

// Scores are in [0, 1], and a label is on above 1/2 unless another decision is stored.
//   PARTICLE-VLS  1/2 + (votes of the label - votes of the virtual label) / (2 labels)
//   PARTICLE-MAP  the posterior P(right | pairs won)
// The confidence in a candidate is its score.
class ParticleModel final : public Model {
 public:
  // Takes a state as particle_state made it; Error(Model) if it does not fit together.
  explicit ParticleModel(ModelState state);

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  LabelMatrix decide(const Matrix& scores) const override { return decision_.decide(scores); }
  Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }

 private:
  void score_votes(std::span<const double> outputs, std::span<float> scores) const;
  void score_wins(std::span<const double> outputs, std::span<float> scores) const;

  ModelState state_;
  Decision decision_;
  ParticleParts parts_;
  bool whole_votes_ = false;  // option ceil
};

// Writes the parts down. `state` already tells method, options, names, scaler and notes.
ModelState particle_state(ModelState state, const ParticleParts& parts);

std::unique_ptr<Model> load_particle_model(ModelState state);

}  // namespace sieve
