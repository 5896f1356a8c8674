#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "labelsieve/labels.h"
#include "labelsieve/learner.h"
#include "methods/network/noise_model.h"
#include "methods/network/rows.h"
#include "methods/network/state_io.h"
#include "nn/lazy_rows.h"
#include "nn/mlp.h"

namespace sieve {

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
