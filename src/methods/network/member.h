#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/learner.h"
#include "labelsieve/prepare.h"
#include "methods/network/noise_model.h"
#include "methods/network/rows.h"
#include "methods/network/trainee.h"

namespace sieve {

// The loss of held-out rows with these logits, summed over them.
using HeldOutLoss =
    std::function<double(const NoiseModel&, View<const float> logits, View<const float> targets)>;

// What all members of a method share.
struct MemberSettings {
  std::size_t width = 256;
  double dropout = 0.5;
  std::size_t batch = 64;
  BatchParts layout{};
  std::size_t max_epochs = 30, patience = 4;
  double learning_rate = 1e-3, adam_beta1 = 0.9;
  // The epoch with the best held-out candidates wins and weights are averaged over steps; if not,
  // all rows are trained on and the last weights stay.
  bool held_out_stopping = true;
  MakeTrainee make_trainee = make_plain_trainee;
  HeldOutLoss held_out_loss;  // empty: -log likelihood of the targets under the noise model
  NoiseModel noise;           // empty: guessed by each member from its noise share
};

// Whether any rank is asked to stop.
bool stop_asked(const BatchParts& layout, const Progress* progress);

// What makes a member differ from the others.
struct MemberPlan {
  std::size_t depth = 2;      // hidden layers of the predictor
  double noise_share = 0.85;  // see guess_noise; 0 takes every candidate as right
  double beta = 0.1;          // see TraineeParts
  double share = 0;           // the same
  std::size_t fold = 0;       // which fifth of the rows is held out
  std::uint64_t seed = 1;
};

constexpr std::size_t kHeldOutFolds = 5;

// The rows that the member of this fold holds out, and the others; all rows are in both parts where
// there are too few to spare any.
Split hold_out(std::size_t rows, std::size_t fold);

// The predictor's shape: linear, one hidden layer of twice the width, or `depth` layers of it.
MlpSpec predictor_spec(std::size_t inputs, std::size_t labels, std::size_t depth, std::size_t width,
                       double dropout);

// One predictor in training, with its share of held-out rows. Keeps the weights (an exponential
// average over steps) of the epoch that gave held-out candidates the largest likelihood. Everything
// random is a function of the plan's seed and the step, so a member can stop after any step, be
// written down, and go on with the same bits.
class Member {
 public:
  // The references must outlive the member.
  Member(const NetRows& rows, const Targets& targets, const MemberSettings& settings,
         const MemberPlan& plan);

  // Goes on to the end of the epoch, or stops after the current step if `progress` of any rank asks
  // for it. Error(Training) if a number is no longer finite.
  void advance(ThreadPool& pool, const Progress* progress);
  bool finished() const;
  bool between_epochs() const { return batch_ == 0; }
  double best_loss() const { return best_loss_; }  // of held-out candidates, a row; else L_c
  std::uint64_t epochs() const { return epoch_; }
  std::uint64_t best_epoch() const { return best_epoch_; }  // the last that made progress
  const MemberPlan& plan() const { return plan_; }
  std::size_t held_out_rows() const { return held_.size(); }
  const NoiseModel& noise() const { return noise_; }
  const Mlp<float>& mlp() const { return trainee_->predictor(); }
  const Array<float>& weights() const { return best_; }
  // Adds `part` of the probabilities of the rows that were held out to theirs in `sums`.
  void add_held_out_scores(ThreadPool& pool, float part, Matrix& sums);
  // The noise of each label that those rows tell of; of many rows or labels only some are asked.
  NoiseModel learn_noise_from_held_out(ThreadPool& pool);
  // Losses of the epoch that ended last.
  const EpochReport& report() const { return report_; }
  void visit(const std::string& name, StateVisitor& visitor);

 private:
  std::span<const std::size_t> batch_rows(std::size_t batch) const;
  std::size_t batches() const;
  void shuffle();
  void look_ahead() const;
  void step(ThreadPool& pool);
  void end_epoch(ThreadPool& pool);
  double held_out_loss(ThreadPool& pool);
  double held_out_sum(ThreadPool& pool, std::span<const std::size_t> held);
  // Calls use(rows, logits) for some of the held-out rows after the others.
  template <class Use>
  void pass_held_out(ThreadPool& pool, const Array<float>& weights,
                     std::span<const std::size_t> held, const Use& use);

  const NetRows& rows_;
  Targets targets_;
  MemberSettings settings_;
  MemberPlan plan_;
  std::vector<std::size_t> train_, held_, order_;
  NoiseModel noise_;
  std::unique_ptr<Trainee> trainee_;
  Array<float> best_;
  std::uint64_t epoch_ = 0, batch_ = 0, step_ = 0, best_epoch_ = 0;
  double best_loss_, loss_sum_ = 0;
  EpochReport report_;
  MlpContext<float> pass_;  // over held-out rows
  BatchRoom input_room_;
  Panel<float> held_targets_;
};

}  // namespace sieve
