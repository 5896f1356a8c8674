#pragma once

#include <memory>
#include <vector>

#include "labelsieve/learner.h"
#include "methods/network/member.h"
#include "methods/network/rows.h"

namespace sieve {

// An ensemble of predictors: scores are the mean of their probabilities, a label is on from 1/2.
class NetworkModel final : public Model {
 public:
  // Takes a state as network_state made it; Error(Model) if it does not fit together.
  explicit NetworkModel(ModelState state);

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  LabelMatrix decide(const Matrix& scores) const override;
  Matrix confidence(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }

 private:
  struct Predictor {
    Mlp<float> mlp;
    Array<float> parameters;
  };
  // Adds the members' scores of rows [first, last); `passes` is a context for each member.
  void score_rows(const Features& x, std::size_t first, std::size_t last, ThreadPool& pool,
                  std::vector<MlpContext<float>>& passes, Matrix& out) const;

  ModelState state_;
  InputScaling scaling_;
  std::vector<float> rate_;
  std::vector<Predictor> predictors_;
};

// Writes finished members down as the state of a model. `state` already tells method, options,
// names and notes.
ModelState network_state(ModelState state, const InputScaling& scaling,
                         const std::vector<std::unique_ptr<Member>>& members);

}  // namespace sieve
