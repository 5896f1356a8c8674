#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "labelsieve/model_io.h"
#include "labelsieve/prepare.h"
#include "methods/network/network_learner.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;
using ::testing::HasSubstr;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// Trains as the plain one does until, in step `fault`, one of its numbers becomes NaN.
class FaultyTrainee final : public Trainee {
 public:
  enum class Fault { Loss, State };
  FaultyTrainee(const TraineeParts& parts, std::uint64_t step, Fault fault)
      : plain_(make_plain_trainee(parts)), fault_step_(step), fault_(fault) {}

  double step(ThreadPool& pool, std::uint64_t iteration,
              std::span<const std::size_t> batch) override {
    const double loss = plain_->step(pool, iteration, batch);
    if (iteration != fault_step_) return loss;
    if (fault_ == Fault::Loss) return NAN;
    hidden_[3] = NAN;  // as a discriminator's weight may, long before a loss tells
    return loss;
  }
  const Mlp<float>& predictor() const override { return plain_->predictor(); }
  void settle(ThreadPool& pool) override { plain_->settle(pool); }
  const Array<float>& average() const override { return plain_->average(); }
  void for_changed(const VisitStretch& visit) const override { plain_->for_changed(visit); }
  void report_epoch(EpochReport& report) override { plain_->report_epoch(report); }
  void visit(const std::string& name, StateVisitor& visitor) override {
    plain_->visit(name, visitor);
    visitor.array(name + "/hidden", hidden_);
  }

 private:
  std::unique_ptr<Trainee> plain_;
  std::uint64_t fault_step_;
  Fault fault_;
  Array<float> hidden_{8};
};

using Fault = FaultyTrainee::Fault;

NetworkLearner learner(std::uint64_t fault_step, Fault fault) {
  EnsembleSettings settings;
  settings.method = "mlp";
  settings.members = 2;
  settings.depths = {1};
  settings.network.width = 16;
  settings.network.max_epochs = 5;
  settings.network.make_trainee = [=](const TraineeParts& parts) {
    return std::make_unique<FaultyTrainee>(parts, fault_step, fault);
  };
  return NetworkLearner(settings);
}

// Keeps the last checkpoint; asks for a stop once `stop_at` says so.
class Keeper final : public Progress, public CheckpointSink {
 public:
  bool stop_requested() const override { return stop; }
  bool due() const override { return true; }
  void save(const ModelState& state) override {
    bytes = encode_state(state, StateKind::Checkpoint);
    ++saves;
    for (const Tensor& tensor : state.tensors)
      for (const float value : tensor.values) ASSERT_TRUE(std::isfinite(value)) << tensor.name;
  }
  bool stop = false;
  std::string bytes;
  int saves = 0;
};

// 200 rows: 160 are trained on, in 3 batches an epoch.
class Divergence : public ::testing::Test {
 protected:
  static TrainingData crowd() {
    ThreadPool pool(1);
    return training_data(make_synthetic({.rows = 200, .features = 20, .labels = 6}, pool));
  }
  std::string diverge(std::uint64_t step, Fault fault, Keeper& keeper, int& code) const {
    FitOptions fit;
    fit.progress = &keeper;
    fit.checkpoints = &keeper;
    return refusal([&] { learner(step, fault).fit(data_, fit); }, &code);
  }
  std::string model(const ModelState* from) const {
    FitOptions fit;
    fit.resume_from = from;
    return encode_state(learner(kNever, Fault::Loss).fit(data_, fit)->state(), StateKind::Model);
  }

  const TrainingData data_ = crowd();
};

TEST_F(Divergence, stops_with_6_and_the_last_good_checkpoint_goes_on_once_the_cause_is_gone) {
  for (const Fault fault : {Fault::Loss, Fault::State}) {
    Keeper keeper;
    int code = 0;
    EXPECT_THAT(diverge(7, fault, keeper, code), HasSubstr("the training diverged"));
    EXPECT_EQ(code, 6);
    EXPECT_EQ(keeper.saves, 2);  // after the first and the second epoch
    const ModelState state = decode_state(keeper.bytes, StateKind::Checkpoint, "memory");
    EXPECT_EQ(model(&state), model(nullptr));
  }
}

TEST_F(Divergence, within_an_epoch_an_interrupt_does_not_write_it_down) {
  Keeper keeper;
  keeper.stop = true;  // in the first step, long before the end of an epoch
  int code = 0;
  EXPECT_THAT(diverge(0, Fault::State, keeper, code), HasSubstr("the training diverged"));
  EXPECT_EQ(code, 6);
  EXPECT_EQ(keeper.saves, 0);
}

}  // namespace
}  // namespace sieve
