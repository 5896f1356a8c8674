#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "labelsieve/learner.h"
#include "labelsieve/matrix.h"

// What a model of real scores does with them: which mean "on", and how sure it is of a candidate.
// Both are stored with the model, so that any method with scores can use them.
namespace sieve {

bool all_finite(std::span<const float> values);

// The scores of these rows themselves; NotFinite naming the first row with one that is not a finite
// number. Every model passes what it says through here.
Matrix finite_scores(Matrix scores, const Features& x);

struct Decision {
  using Rule = DecisionRule;
  Rule rule = Rule::Constant;
  double threshold = 0.5;        // Constant, RowMinMax
  std::size_t top = 1;           // Top
  std::vector<float> weights{};  // Regressed: one per label and the bias

  LabelMatrix decide(const Matrix& scores) const;
  void write(ModelState& state) const;
  // Error(Model) if what was stored does not fit the model's labels.
  static Decision read(const ModelState& state);
  // `usual` where a model of this kind has stored none.
  static Decision read_or(const ModelState& state, const Decision& usual);
};

// A Regressed rule learnt from rows whose labels are thought right: the cut of a row is the first
// of its lowest score - 0.1, the midpoints between neighbours, and its highest score + 0.1 that
// disagrees with the fewest labels; cuts are regressed on the scores by least squares.
Decision regress_threshold(const Matrix& scores, const LabelMatrix& right, ThreadPool& pool);

// confidence = 1 / (1 + exp(-slope (evidence - centre))) for candidates, else 0. Strictly rising,
// so that equal confidence means equal evidence. With the default, evidence near 0 or 1 (what a
// regression on 0/1 labels gives) is near 0.12 or 0.88.
struct CandidateConfidence {
  double centre = 0.5, slope = 4;

  float probability(float evidence) const;
  Matrix of(Matrix evidence, const LabelMatrix& candidates) const;
  Matrix of_all(Matrix evidence) const;  // as if every label were a candidate
  void write(ModelState& state) const;
  static CandidateConfidence read(const ModelState& state);  // Error(Model)
};

// A model of real scores, which its state says how to decide and how to make probabilities.
class RealScoreModel : public Model {
 public:
  LabelMatrix decide(const Matrix& scores) const override { return decision_.decide(scores); }
  Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override {
    return confidence_.of(scores(data.features, pool), data.candidates);
  }
  const ModelState& state() const override { return state_; }
  const Decision& decision() const { return decision_; }

 protected:
  // Error(Model) if the state has no decision or confidence that fits it.
  explicit RealScoreModel(ModelState state)
      : state_(std::move(state)),
        decision_(Decision::read(state_)),
        confidence_(CandidateConfidence::read(state_)) {}

  ModelState state_;
  Decision decision_;
  CandidateConfidence confidence_;

 private:
  Matrix on_unit_scale(Matrix scores) const override {
    return confidence_.of_all(std::move(scores));
  }
};

// Probabilities are kept off 0 and 1 by this, since users take their logarithms.
inline constexpr float kLeastProbability = 1e-7F;

}  // namespace sieve
