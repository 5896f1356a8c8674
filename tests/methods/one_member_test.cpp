#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "labelsieve/prepare.h"
#include "methods/network/network_learner.h"

namespace sieve {
namespace {

// Notes whether two bodies of a parallel call in a step were at work at the same time.
class MeetingTrainee final : public Trainee {
 public:
  MeetingTrainee(const TraineeParts& parts, bool& touched)
      : networks_(make_plain_trainee(parts)), touched_(touched) {}

  double step(ThreadPool& pool, std::uint64_t iteration,
              std::span<const std::size_t> batch) override {
    using Clock = std::chrono::steady_clock;
    const auto limit = Clock::now() + std::chrono::seconds(5);
    std::atomic<int> here = 0;
    std::atomic<bool> late = touched_;  // once is enough
    pool.for_each(2, [&](std::size_t) {
      ++here;
      while (here < 2 && !late) late = Clock::now() > limit;
    });
    touched_ = touched_ || !late;
    return networks_->step(pool, iteration, batch);
  }
  const Mlp<float>& predictor() const override { return networks_->predictor(); }
  void settle(ThreadPool& pool) override { networks_->settle(pool); }
  const Array<float>& average() const override { return networks_->average(); }
  void for_changed(const VisitStretch& visit) const override { networks_->for_changed(visit); }
  void report_epoch(EpochReport& report) override { networks_->report_epoch(report); }
  void visit(const std::string& name, StateVisitor& visitor) override {
    networks_->visit(name, visitor);
  }

 private:
  std::unique_ptr<Trainee> networks_;
  bool& touched_;
};

TEST(OneMember, has_all_threads_for_its_steps) {
  ThreadPool pool(2);
  const Dataset crowd = make_synthetic({.rows = 60, .features = 5, .labels = 6}, pool);
  bool touched = false;
  EnsembleSettings settings;
  settings.method = "mlp";
  settings.members = 1;
  settings.depths = {0};
  settings.network.max_epochs = 1;
  settings.network.make_trainee = [&](const TraineeParts& parts) {
    return std::make_unique<MeetingTrainee>(parts, touched);
  };
  FitOptions fit;
  fit.threads = &pool;
  NetworkLearner(settings).fit(training_data(crowd), fit);
  EXPECT_TRUE(touched);
}

}  // namespace
}  // namespace sieve
