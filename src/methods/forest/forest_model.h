#pragma once

#include <vector>

#include "labelsieve/learner.h"
#include "methods/forest/tree.h"
#include "methods/network/noise_model.h"
#include "methods/shared/decision.h"

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
};

// The mean of what trees say, with the noise of the candidates taken off.
class ForestModel final : public Model {
 public:
  // Takes a state as forest_state made it; Error(Model) if it does not fit together.
  explicit ForestModel(ModelState state, Matrix unseen_scores = {});

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  LabelMatrix decide(const Matrix& scores) const override { return decision_.decide(scores); }
  Matrix confidence(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }
  const ForestRates& rates() const { return rates_; }
  const Decision& decision() const { return decision_; }
  const Matrix* unseen_scores() const override { return unseen_.rows() > 0 ? &unseen_ : nullptr; }
  Matrix unseen_confidence(const LabelMatrix& candidates) const override {
    return confidence_of(unseen_.clone(), rates_.noise, candidates);
  }

 private:
  // A leaf is its own first child, and its threshold is out of reach: going on from it changes
  // nothing.
  struct Node {
    float threshold;
    std::uint32_t feature, first_child, leaf;  // the feature times the rows looked at side by side
  };
  void read_trees();
  void read_tree(std::size_t count, std::size_t& leaves);
  void add_leaf(std::uint32_t leaf, float* sums) const;
  void add_rows(const Matrix& x, std::size_t rows, float* sums) const;
  void add_row(const float* values, float* sums) const;
  void score(const Matrix& x, std::size_t first, std::size_t last, Matrix& out) const;

  ModelState state_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> roots_;  // in nodes_
  std::span<const float> shares_;   // leaves x labels, in state_
  std::size_t labels_ = 0;
  ForestRates rates_;
  Decision decision_;
  Matrix unseen_;
};

// Writes trees and rates down. `state` already tells method, options, names and notes. The trees
// are given up one by one, so that they are not held twice.
ModelState forest_state(ModelState state, std::vector<Tree> trees, const ForestRates& rates);

}  // namespace sieve
