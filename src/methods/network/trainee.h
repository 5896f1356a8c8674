#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/learner.h"
#include "labelsieve/matrix.h"
#include "methods/network/noise_model.h"
#include "methods/network/rows.h"
#include "nn/lazy_rows.h"
#include "nn/mlp.h"

namespace sieve {

// Walks over everything that makes up the state of a training, either to write it down or to take
// it back: one list for both, so they cannot drift apart.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  virtual void number(const std::string& name, std::uint64_t& value) = 0;
  virtual void real(const std::string& name, double& value) = 0;  // bit for bit
  virtual void array(const std::string& name, Array<float>& values) = 0;
  // All zero if it is not there.
  virtual void array_if_any(const std::string& name, Array<float>& values) = 0;
};

// Error(Training) if one of them is NaN or infinite.
void require_finite(std::span<const float> values);
void require_finite(double value);

// Nothing that diverged is ever written down: a number that is not finite is an Error(Training).
class StateWriter final : public StateVisitor {
 public:
  explicit StateWriter(ModelState& state) : state_(state) {}
  void number(const std::string& name, std::uint64_t& value) override;
  void real(const std::string& name, double& value) override;
  void array(const std::string& name, Array<float>& values) override;
  void array_if_any(const std::string& name, Array<float>& values) override;

 private:
  ModelState& state_;
};

// Error(Model) if something is missing or has another size.
class StateReader final : public StateVisitor {
 public:
  explicit StateReader(const ModelState& state) : state_(state) {}
  void number(const std::string& name, std::uint64_t& value) override;
  void real(const std::string& name, double& value) override;
  void array(const std::string& name, Array<float>& values) override;
  void array_if_any(const std::string& name, Array<float>& values) override;

 private:
  const ModelState& state_;
};

// Which weights of a first layer are behind, by how many of the `steps` steps.
void visit_lazy_rows(const std::string& name, LazyRows<float>& rows, std::uint64_t steps,
                     StateVisitor& visitor);
void visit_adam(const std::string& name, AdamState<float>& state, StateVisitor& visitor);

// Networks that are trained a batch at a time; one of them is the predictor.
class Trainee {
 public:
  virtual ~Trainee() = default;
  // One step on the given rows, those of all ranks, and one of the average. Returns the
  // classification loss L_c of the batch, a row.
  virtual double step(ThreadPool& pool, std::uint64_t iteration,
                      std::span<const std::size_t> batch) = 0;
  virtual const Mlp<float>& predictor() const = 0;
  // Makes up for what steps put off: from here to the next step average() is what it should be.
  virtual void settle(ThreadPool& pool) = 0;
  virtual const Array<float>& average() const = 0;  // of the predictor's parameters over the steps
  // Calls visit(first, count) for the stretches of average() that steps may have changed.
  using VisitStretch = std::function<void(std::size_t first, std::size_t count)>;
  virtual void for_changed(const VisitStretch& visit) const = 0;
  // Adds what it has to tell about the last epoch, and begins a new one.
  virtual void report_epoch(EpochReport& report) = 0;
  virtual void visit(const std::string& name, StateVisitor& visitor) = 0;
};

// What a trainee is made from. The references outlive it.
struct TraineeParts {
  const NetRows& rows;
  Targets targets;
  const NoiseModel& noise;
  MlpSpec predictor;
  std::size_t max_batch;
  double beta;   // weight of the adversarial loss, where there is one
  double share;  // part of the predictor's target that a disambiguator gives, where there is one
  std::uint64_t seed;
  AdamOptions adam;
  BatchParts layout{};
  AveragePace pace{};

  // Whether the first layer is moved as LazyRows does it. A batch in parts is summed as a whole.
  bool lazily() const { return rows.is_sparse() && layout.count() == 1; }
};
using MakeTrainee = std::function<std::unique_ptr<Trainee>(const TraineeParts&)>;

// What a predictor alone is trained on.
class PredictorLoss {
 public:
  virtual ~PredictorLoss() = default;
  // The loss of a batch, a row; sets its gradient with respect to the logits. With several parts
  // it is asked about each part alone, as is right for a mean over rows.
  virtual double batch(View<const float> logits, std::span<const std::size_t> rows,
                       View<float> gradient) = 0;
};
std::unique_ptr<Trainee> make_predictor_trainee(const TraineeParts& parts,
                                                std::unique_ptr<PredictorLoss> loss);

// The predictor alone, on the likelihood of noisy candidates, or on the cross entropy with beliefs.
std::unique_ptr<Trainee> make_plain_trainee(const TraineeParts& parts);

// The targets of the given rows.
void gather_targets(const Targets& targets, std::span<const std::size_t> rows, Panel<float>& into);

// Halves the last weights of a network and sets its last shifts to the logits of `shares`.
void start_output_at(const Mlp<float>& mlp, std::span<const float> shares,
                     Array<float>& parameters);

}  // namespace sieve
