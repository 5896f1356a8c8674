#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "labelsieve/learner.h"
#include "methods/forest/tree.h"
#include "methods/forest/walks.h"
#include "methods/network/noise_model.h"
#include "methods/shared/decision.h"
#include "methods/shared/out_of_fold.h"

namespace sieve {

// How often labels are candidates, in all and where they are not right.
struct ForestRates {
  static constexpr float kSure = 1e-6F;  // nothing is surer than that
  // A label that is a candidate less often than noise alone makes one is this much less likely
  // right.
  static constexpr float kBelowNoise = 0.05F;

  std::vector<float> frequency, noise;  // one per label

  // Of the probability that a label is a candidate: that it is right, in (0, 1). Strictly rising.
  float right(float candidate, std::size_t label) const;
  void make_right(Matrix& candidate) const;
  // The other way round.
  float candidate(float right, std::size_t label) const;
};

// The mean of what trees say, with the noise of the candidates taken off.
class ForestModel final : public Model, public OutOfFoldModel {
 public:
  // Takes a state as forest_state made it; Error(Model) if it does not fit together.
  explicit ForestModel(ModelState state, Matrix held_out_scores = {});

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  LabelMatrix decide(const Matrix& scores) const override { return decision_.decide(scores); }
  Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }
  const ForestRates& rates() const { return rates_; }
  const Decision& decision() const { return decision_; }
  const Matrix* held_out_scores() const override {
    return held_out_.rows() > 0 ? &held_out_ : nullptr;
  }
  Matrix held_out_probabilities(const LabelMatrix& candidates) const override {
    return confidence_of(held_out_.clone(), rates_.noise, candidates);
  }
  // Adds `part` of the probabilities of candidates that the held-out scores came from.
  void add_held_out_candidates(float part, Matrix& sums) const;
  // Takes these rates of noise for its own, before anyone has seen the model.
  void set_noise(const std::vector<float>& noise);

 private:
  ModelState state_;
  ForestRates rates_;
  std::optional<Walks> walks_;  // of state_
  Decision decision_;
  Matrix held_out_;
};

// Whether rows are so few that each tree learns from four fifths of them, not a bootstrap sample.
bool are_few(std::size_t rows);

// What the leaves of a forest take, in the model and in what will be written.
class LeafMemory {
 public:
  LeafMemory(const TrainingData& data, bool bootstrap);

  // Of one tree.
  double leaves(std::size_t leaf) const { return std::max(1.0, rows_ / static_cast<double>(leaf)); }
  double bytes(std::size_t trees, std::size_t leaf) const {
    return leaves(leaf) * static_cast<double>(trees) * leaf_bytes_;
  }
  // The smallest leaf for which there is room where its size is not given.
  std::size_t least_leaf(std::size_t trees) const;

 private:
  double rows_;        // of a sample
  double leaf_bytes_;  // with its share of the nodes
};

// Writes trees and rates down. `state` already tells method, options, names and notes. The trees
// are given up one by one, so that they are not held twice.
ModelState forest_state(ModelState state, std::vector<Tree> trees, const ForestRates& rates,
                        const Decision& decision);

}  // namespace sieve
