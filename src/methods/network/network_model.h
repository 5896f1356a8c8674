#pragma once

#include <memory>
#include <span>
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
  // The probabilities of one member.
  Matrix member_scores(std::size_t member, const Features& x, ThreadPool& pool) const;
  std::size_t members() const { return predictors_.size(); }
  LabelMatrix decide(const Matrix& scores) const override;
  Matrix confidence(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }

 private:
  struct Predictor {
    Mlp<float> mlp;
    Array<float> parameters;
  };
  Matrix mean_scores(std::span<const Predictor> predictors, const Features& x,
                     ThreadPool& pool) const;
  // Adds the scores of rows [first, last); `passes` is a context for each predictor.
  void score_rows(std::span<const Predictor> predictors, const Features& x, std::size_t first,
                  std::size_t last, ThreadPool& pool, std::vector<MlpContext<float>>& passes,
                  Matrix& out) const;

  ModelState state_;
  InputScaling scaling_;
  std::vector<float> rate_;
  std::vector<Predictor> predictors_;
};

// Writes finished members down as the state of a model. `state` already tells method, options,
// names and notes.
ModelState network_state(ModelState state, const InputScaling& scaling,
                         const std::vector<std::unique_ptr<Member>>& members);

// Adds `by` to every logit of every member of such a state.
void shift_logits(ModelState& state, float by);

}  // namespace sieve
