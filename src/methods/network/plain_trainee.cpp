#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/network/trainee.h"
#include "nn/losses.h"

namespace sieve {
namespace {

class PlainTrainee final : public Trainee {
 public:
  explicit PlainTrainee(const TraineeParts& parts)
      : parts_(parts),
        mlp_(parts.predictor),
        parameters_(mlp_.initial_parameters(parts.seed)),
        gradients_(mlp_.parameter_count()),
        optimiser_(mlp_.parameter_count()),
        pass_(mlp_.context(parts.max_batch)),
        input_room_(parts.rows.room(parts.max_batch)),
        target_(parts.max_batch, parts.candidates.labels()) {
    start_output_at(mlp_, parts.noise.prior, parameters_);
  }

  // L_c = mean_rows sum_k BCE(f, y (1 - Delta*)): its gradient is that of the noise likelihood.
  double step(ThreadPool& pool, std::uint64_t iteration,
              std::span<const std::size_t> batch) override {
    mlp_.forward(pool, parameters_.data(), nullptr, parts_.rows.batch(batch, input_room_),
                 {true, parts_.seed, iteration}, pass_);
    gather_candidates(parts_.candidates, batch, target_);
    const View<const float> f = pass_.output();
    for (std::size_t i = 0; i < batch.size(); ++i)
      for (std::size_t k = 0; k < f.cols; ++k)
        target_(i, k) *= 1 - noise_posterior(parts_.noise.rate[k], f(i, k));
    const double loss =
        cross_entropy<float>(f, target_.view(batch.size()), 1.0F / static_cast<float>(batch.size()),
                             pass_.output_gradient());
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
  Mlp<float> mlp_;
  Array<float> parameters_, gradients_;
  AdamState<float> optimiser_;
  MlpContext<float> pass_;
  Panel<float> input_room_, target_;
};

// The logit of a share, kept within a range a network can leave again.
float logit_of(float share) {
  const float p = std::clamp(share, 0.001F, 0.999F);
  return std::log(p / (1 - p));
}

}  // namespace

std::unique_ptr<Trainee> make_plain_trainee(const TraineeParts& parts) {
  return std::make_unique<PlainTrainee>(parts);
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
