#pragma once

#include <memory>
#include <utility>

#include "labelsieve/learner.h"

namespace sieve::test {

// A model of the labels "sun" and "sea" whose scores are its features f1 and f2.
class Echo final : public Model {
 public:
  Echo() {
    state_.feature_names = {"f1", "f2"};
    state_.label_names = {"sun", "sea"};
    state_.features = 2;
  }
  Matrix scores(const Features& x, ThreadPool&) const override {
    Matrix out(x.rows(), x.cols());
    for (std::size_t i = 0; i < x.rows(); ++i) x.copy_row(i, out.row(i));
    return out;
  }
  LabelMatrix decide(const Matrix& scores) const override {
    LabelMatrix out(scores.rows(), scores.cols());
    for (std::size_t i = 0; i < scores.rows(); ++i)
      for (std::size_t k = 0; k < scores.cols(); ++k)
        if (scores(i, k) >= 0.5F) out.set(i, k, true);
    return out;
  }
  Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override {
    return scores(data.features, pool);
  }
  const ModelState& state() const override { return state_; }

 private:
  ModelState state_;
};

// A linear model of the same features and labels whose scores are a thousand times as large: too
// large for some numbers.
inline std::unique_ptr<Model> loud_echo() {
  ModelState state = Echo().state();
  state.method = "nlr";
  state.choices.decision = DecisionRule::Constant;
  state.tensors = {{"weights", {2, 2}, {1000, 0, 0, 1000}},
                   {"decision", {1}, {0.5F}},
                   {"confidence", {2}, {0.5F, 4}}};
  return method_info("nlr").load(std::move(state));
}

}  // namespace sieve::test
