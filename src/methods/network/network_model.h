#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "labelsieve/learner.h"
#include "methods/network/member.h"
#include "methods/network/rows.h"
#include "methods/shared/decision.h"
#include "methods/shared/out_of_fold.h"

namespace sieve {

// An ensemble of predictors: scores are the mean of their probabilities, a label is on from 1/2
// unless another decision is stored.
class NetworkModel final : public Model, public OutOfFoldModel {
 public:
  // Takes a state as network_state made it; Error(Model) if it does not fit together.
  explicit NetworkModel(ModelState state, Matrix held_out_scores = {});

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  // The probabilities of one member.
  Matrix member_scores(std::size_t member, const Features& x, ThreadPool& pool) const;
  std::size_t members() const { return predictors_.size(); }
  const InputScaling& scaling() const { return scaling_; }
  // The layers of one member, first to last, as the state has them.
  struct StoredLayer {
    const Tensor &weights, &shift;  // inputs x outputs; one per output
  };
  std::vector<StoredLayer> layers(std::size_t member) const;
  LabelMatrix decide(const Matrix& scores) const override { return decision_.decide(scores); }
  const Decision& decision() const { return decision_; }
  Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }
  const Matrix* held_out_scores() const override {
    return held_out_.rows() > 0 ? &held_out_ : nullptr;
  }
  Matrix held_out_probabilities(const LabelMatrix& candidates) const override {
    return confidence_of(held_out_.clone(), rate_, candidates);
  }

 private:
  struct Predictor {
    Mlp<float> mlp;
    Array<float> parameters;
  };
  using Predictors = std::span<const Predictor>;
  // What a thread needs to score up to `rows` rows with some predictors.
  struct Room {
    std::size_t rows = 0;
    std::vector<MlpContext<float>> passes;
    BatchRoom input;
  };
  Matrix mean_scores(Predictors predictors, const Features& x, ThreadPool& pool) const;
  // Adds the scores of rows [first, last).
  void score_rows(Predictors predictors, const Features& x, std::size_t first, std::size_t last,
                  ThreadPool& pool, Room& room, Matrix& out) const;
  // A room that was put aside, or a new one.
  Room take_room(Predictors predictors, std::size_t rows) const;
  void put_aside(Room room) const;

  ModelState state_;
  bool sparse_;  // rows are worked on as sparse ones
  InputScaling scaling_;
  std::vector<float> rate_;
  Decision decision_;
  std::vector<Predictor> predictors_;
  Matrix held_out_;
  mutable std::mutex spare_mutex_;
  mutable std::vector<Room> spare_;  // of all predictors; making one costs as much as many rows
};

// Writes finished members down as the state of a model. `state` already tells method, options,
// names and notes.
ModelState network_state(ModelState state, const InputScaling& scaling,
                         const std::vector<std::unique_ptr<Member>>& members);

// Adds `by` to every logit of every member of such a state.
void shift_logits(ModelState& state, float by);

}  // namespace sieve
