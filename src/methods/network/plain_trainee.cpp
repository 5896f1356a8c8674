#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/network/trainee.h"
#include "nn/losses.h"

namespace sieve {
namespace {

// L_c = mean_rows sum_k BCE(f, y (1 - Delta*)): its gradient is that of the noise likelihood.
class NoisyLikelihood final : public PredictorLoss {
 public:
  explicit NoisyLikelihood(const TraineeParts& parts)
      : noise_(parts.noise),
        candidates_(parts.candidates),
        target_(parts.max_batch, parts.candidates.labels()) {}

  double batch(View<const float> f, std::span<const std::size_t> rows,
               View<float> gradient) override {
    gather_candidates(candidates_, rows, target_);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < f.cols; ++k)
        target_(i, k) *= 1 - noise_posterior(noise_.rate[k], f(i, k));
    return cross_entropy<float>(f, target_.view(rows.size()),
                                1.0F / static_cast<float>(rows.size()), gradient);
  }

 private:
  const NoiseModel& noise_;
  const LabelMatrix& candidates_;
  Panel<float> target_;
};

class PredictorTrainee final : public Trainee {
 public:
  PredictorTrainee(const TraineeParts& parts, std::unique_ptr<PredictorLoss> loss)
      : parts_(parts),
        loss_(std::move(loss)),
        mlp_(parts.predictor),
        parameters_(mlp_.initial_parameters(parts.seed)),
        gradients_(mlp_.parameter_count()),
        optimiser_(mlp_.parameter_count()),
        pass_(mlp_.context(parts.max_batch)),
        input_room_(parts.rows.room(parts.max_batch)) {
    start_output_at(mlp_, parts.noise.prior, parameters_);
  }

  double step(ThreadPool& pool, std::uint64_t iteration,
              std::span<const std::size_t> batch) override {
    mlp_.forward(pool, parameters_.data(), nullptr, parts_.rows.batch(batch, input_room_),
                 {true, parts_.seed, iteration}, pass_);
    const double loss = loss_->batch(pass_.output(), batch, pass_.output_gradient());
    mlp_.backward(pool, parameters_.data(), pass_, {.gradients = gradients_.data()});
    adam_step<float>(pool, parts_.adam, {gradients_.data(), gradients_.size()}, optimiser_,
                     {parameters_.data(), parameters_.size()});
    return loss;
  }

  const Mlp<float>& predictor() const override { return mlp_; }
  const Array<float>& parameters() const override { return parameters_; }
  void report_epoch(EpochReport&) override {}
  void visit(const std::string& name, StateVisitor& visitor) override {
    visitor.array(name + "/parameters", parameters_);
    visit_adam(name, optimiser_, visitor);
  }

 private:
  TraineeParts parts_;
  std::unique_ptr<PredictorLoss> loss_;
  Mlp<float> mlp_;
  Array<float> parameters_, gradients_;
  AdamState<float> optimiser_;
  MlpContext<float> pass_;
  Panel<float> input_room_;
};

// The logit of a share, kept within a range a network can leave again.
float logit_of(float share) {
  const float p = std::clamp(share, 0.001F, 0.999F);
  return std::log(p / (1 - p));
}

}  // namespace

std::unique_ptr<Trainee> make_predictor_trainee(const TraineeParts& parts,
                                                std::unique_ptr<PredictorLoss> loss) {
  return std::make_unique<PredictorTrainee>(parts, std::move(loss));
}

std::unique_ptr<Trainee> make_plain_trainee(const TraineeParts& parts) {
  return make_predictor_trainee(parts, std::make_unique<NoisyLikelihood>(parts));
}

void gather_candidates(const LabelMatrix& candidates, std::span<const std::size_t> rows,
                       Panel<float>& into) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < into.cols(); ++k)
      into(i, k) = candidates.get(rows[i], k) ? 1.0F : 0.0F;
}

void start_output_at(const Mlp<float>& mlp, std::span<const float> shares,
                     Array<float>& parameters) {
  const LayerPlace& last = mlp.layers().back();
  for (std::size_t i = 0; i < last.input_stride * last.stride; ++i)
    parameters[last.weights + i] *= 0.5F;
  for (std::size_t k = 0; k < last.outputs; ++k) parameters[last.shift + k] = logit_of(shares[k]);
}

}  // namespace sieve
