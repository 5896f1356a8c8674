#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "methods/network/trainee.h"
#include "nn/losses.h"

namespace sieve {
namespace {

// L_c = mean_rows sum_k BCE(f, y (1 - Delta*)): its gradient is that of the noise likelihood. Where
// targets are beliefs, rates are 0 and so is Delta*.
class NoisyLikelihood final : public PredictorLoss {
 public:
  explicit NoisyLikelihood(const TraineeParts& parts)
      : noise_(parts.noise),
        targets_(parts.targets),
        target_(parts.max_batch, parts.targets.labels()) {}

  double batch(View<const float> f, std::span<const std::size_t> rows,
               View<float> gradient) override {
    gather_targets(targets_, rows, target_);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < f.cols; ++k)
        target_(i, k) *= 1 - noise_posterior(noise_.rate[k], f(i, k));
    return cross_entropy<float>(f, target_.view(rows.size()),
                                1.0F / static_cast<float>(rows.size()), gradient);
  }

 private:
  const NoiseModel& noise_;
  Targets targets_;
  Panel<float> target_;
};

class PredictorTrainee final : public Trainee {
 public:
  PredictorTrainee(const TraineeParts& parts, std::unique_ptr<PredictorLoss> loss)
      : parts_(parts),
        loss_(std::move(loss)),
        mlp_(parts.predictor),
        parameters_(mlp_.initial_parameters(parts.seed)),
        part_losses_(parts.layout.count()),
        optimiser_(mlp_.parameter_count()),
        pass_(mlp_.context(parts.max_batch, parts.layout)),
        input_room_(parts.rows.room(parts.layout.most_of_mine(parts.max_batch))) {
    start_output_at(mlp_, parts.noise.prior, parameters_);
    average_ = parameters_.clone();
    if (parts.lazily()) rows_.emplace(mlp_.layers().front(), parts.adam, parts.pace);
    gradients_ =
        Array<float>(rows_ ? mlp_.rest_count() : parts.layout.buffers() * mlp_.parameter_count());
  }

  double step(ThreadPool& pool, std::uint64_t iteration,
              std::span<const std::size_t> batch) override {
    const BatchParts::Rows mine = parts_.layout.my_rows(batch.size());
    const auto rows = batch.subspan(mine.first, mine.count());
    const Input<float> input = parts_.rows.batch(rows, input_room_);
    if (rows_) rows_->mark_touched(pool, input, buffers());
    mlp_.forward(pool, parameters_.data(), input, {true, parts_.seed, iteration, batch.size()},
                 pass_);
    take_losses(rows, batch.size());
    mlp_.backward(pool, parameters_.data(), pass_,
                  {.gradients = gradients_.data(), .first_weights = !rows_});
    const std::span<float> gradients(gradients_.data(), gradients_.size());
    parts_.layout.sum(pool, gradients, gradients_.size() / parts_.layout.buffers());
    descend<float>(pool, parts_.adam, parts_.pace, rows_ ? &*rows_ : nullptr, pass_, gradients,
                   buffers());
    parts_.layout.gather(std::span<double>(part_losses_));
    return std::accumulate(part_losses_.begin() + 1, part_losses_.end(), part_losses_.front());
  }

  const Mlp<float>& predictor() const override { return mlp_; }
  void settle(ThreadPool& pool) override {
    if (rows_) rows_->settle(pool, buffers());
  }
  const Array<float>& average() const override { return average_; }
  void for_changed(const VisitStretch& visit) const override {
    for_changed_parameters(mlp_, rows_ ? &*rows_ : nullptr, visit);
  }
  void report_epoch(EpochReport&) override {}
  void visit(const std::string& name, StateVisitor& visitor) override {
    visitor.array(name + "/parameters", parameters_);
    visit_adam(name, optimiser_, visitor);
    if (rows_) visit_lazy_rows(name, *rows_, optimiser_.step, visitor);
    visitor.array(name + "/average", average_);
  }

 private:
  LazyRows<float>::Buffers buffers() {
    return {
        {parameters_.data(), parameters_.size()}, optimiser_, {average_.data(), average_.size()}};
  }

  // A part's mean over rows counts by its share of the rows.
  void take_losses(std::span<const std::size_t> rows, std::size_t batch_rows) {
    const BatchParts& layout = parts_.layout;
    for (std::size_t i = 0; i < layout.mine(); ++i) {
      const auto [first, last] = layout.my_part(i, batch_rows);
      const View<float> gradient = pass_.output_gradient().slice(first, last);
      const double share = static_cast<double>(gradient.rows) / static_cast<double>(batch_rows);
      part_losses_[layout.first() + i] =
          share * loss_->batch(pass_.output().slice(first, last), rows.subspan(first, last - first),
                               gradient);
      for (std::size_t r = 0; !parts_.targets.weights().empty() && r < gradient.rows; ++r)
        for (std::size_t k = 0; k < gradient.cols; ++k)
          gradient(r, k) *= parts_.targets.weight(rows[first + r]);
      if (layout.count() == 1) continue;
      for (std::size_t r = 0; r < gradient.rows; ++r)
        for (std::size_t k = 0; k < gradient.cols; ++k) gradient(r, k) *= static_cast<float>(share);
    }
  }

  TraineeParts parts_;
  std::unique_ptr<PredictorLoss> loss_;
  Mlp<float> mlp_;
  Array<float> parameters_, gradients_, average_;
  std::vector<double> part_losses_;
  AdamState<float> optimiser_;
  std::optional<LazyRows<float>> rows_;
  MlpContext<float> pass_;
  BatchRoom input_room_;
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

void gather_targets(const Targets& targets, std::span<const std::size_t> rows, Panel<float>& into) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    targets.copy_row(rows[i], {into.row(i), into.cols()});
}

void start_output_at(const Mlp<float>& mlp, std::span<const float> shares,
                     Array<float>& parameters) {
  const LayerPlace& last = mlp.layers().back();
  for (std::size_t i = 0; i < last.input_stride * last.stride; ++i)
    parameters[last.weights + i] *= 0.5F;
  for (std::size_t k = 0; k < last.outputs; ++k) parameters[last.shift + k] = logit_of(shares[k]);
}

}  // namespace sieve
