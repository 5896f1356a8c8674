#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "labelsieve/methods.h"
#include "methods/blend/label_mix.h"
#include "methods/shared/decision.h"
#include "methods/shared/out_of_fold.h"

namespace sieve {

// A kind of model that a blend can have as a part.
struct PartKind {
  const char* name;   // in front of its tensors and notes
  const char* title;  // in what users read
  MethodInfo (*method)();
  // Of a forest:
  std::size_t leaf = 0;  // fewest rows
  ForestSettings::Splits splits = ForestSettings::Splits::Extra;
};
const std::array<PartKind, 6>& part_kinds();

// The mean of the log-odds of its parts, by weight, and what the labels then say of each other.
class BlendModel final : public Model, public OutOfFoldModel {
 public:
  // Takes a state as add_part() and add_sums() made it; Error(Model) if it does not fit together.
  // `held_out_scores`: see OutOfFoldModel.
  explicit BlendModel(ModelState state, Matrix held_out_scores = {});

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  LabelMatrix decide(const Matrix& scores) const override { return decision_.decide(scores); }
  Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }
  const std::vector<std::unique_ptr<Model>>& parts() const { return parts_; }
  const std::vector<float>& weights() const { return weights_; }  // one per part
  const LabelMix& mix() const { return mix_; }
  const Decision& decision() const { return decision_; }
  const Matrix* held_out_scores() const override {
    return held_out_.rows() > 0 ? &held_out_ : nullptr;
  }
  Matrix held_out_probabilities(const LabelMatrix& candidates) const override;

 private:
  Matrix probabilities_by(Matrix right, const LabelMatrix& candidates) const;

  ModelState state_;
  std::vector<std::unique_ptr<Model>> parts_;
  std::vector<float> weights_, rate_, believed_;
  LabelMix mix_;
  Decision decision_;
  Matrix held_out_;
};

// Log-odds to probabilities.
Matrix probabilities_of(Matrix log_odds);

// Writes a part down in the state of a blend, and what all parts have in common.
void add_part(const PartKind& kind, const ModelState& part, ModelState& blend);
// How the parts are put together.
struct BlendSums {
  std::vector<float> weights;  // one per part
  std::vector<float> rate;     // of each label to become a candidate unless right, as weights go by
  std::vector<float> believed;  // the same, as confidences go by
  LabelMix mix;
  Decision decision;
};
void add_sums(BlendSums sums, ModelState& blend);

}  // namespace sieve
