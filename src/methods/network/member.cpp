#include "methods/network/member.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "labelsieve/error.h"
#include "labelsieve/prepare.h"
#include "labelsieve/random.h"
#include "nn/functions.h"
#include "nn/losses.h"

namespace sieve {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kScoredAtOnce = 256;
constexpr double kSlowestAverage = 0.01;

Split hold_out(std::size_t rows, std::size_t fold, std::uint64_t seed) {
  if (rows >= kFolds) return split_of_fold(folds_random(rows, kFolds, seed), fold % kFolds);
  Split all;  // too few rows to spare any: judge by the rows themselves
  all.train.resize(rows);
  std::iota(all.train.begin(), all.train.end(), std::size_t{0});
  all.test = all.train;
  return all;
}

AdamOptions adam_of(const NetworkSettings& settings) {
  AdamOptions adam;
  adam.rate = settings.learning_rate;
  return adam;
}

}  // namespace

MlpSpec predictor_spec(std::size_t inputs, std::size_t labels, std::size_t depth, std::size_t width,
                       double dropout) {
  MlpSpec spec{inputs, {}};
  const std::size_t hidden = depth == 1 ? 2 * width : width;
  for (std::size_t l = 0; l < depth; ++l)
    spec.layers.push_back({hidden, Activation::LeakyRelu, false, dropout});
  spec.layers.push_back({labels, Activation::Identity});
  return spec;
}

Member::Member(const NetRows& rows, const LabelMatrix& candidates, const NetworkSettings& settings,
               const MemberPlan& plan)
    : rows_(rows),
      candidates_(candidates),
      settings_(settings),
      plan_(plan),
      predictor_(predictor_spec(rows.inputs(), candidates.labels(), plan.depth, settings.width,
                                settings.dropout),
                 plan.seed, adam_of(settings)),
      best_loss_(std::numeric_limits<double>::max()) {
  // Members share the cut into folds, so that together they see every row.
  Split split = hold_out(rows.rows(), plan.fold, 0);
  train_ = std::move(split.train);
  held_ = std::move(split.test);
  noise_ = guess_noise(candidates, train_, plan.noise_share);
  predictor_.start_output_at(noise_.prior);
  average_ = predictor_.parameters.clone();
  best_ = predictor_.parameters.clone();
  const std::size_t largest = std::min(settings.batch, train_.size());
  pass_ = predictor_.mlp.context(std::max(largest, kScoredAtOnce));
  input_room_ = rows.room(std::max(largest, kScoredAtOnce));
  y_ = Panel<float>(largest, candidates.labels());
  target_ = Panel<float>(largest, candidates.labels());
  if (settings.game)
    game_ =
        std::make_unique<Game>(rows, candidates.labels(), noise_, *settings.game, settings.width,
                               settings.dropout, largest, plan.seed, predictor_.adam);
  shuffle();
}

std::size_t Member::batches() const {
  return (train_.size() + settings_.batch - 1) / settings_.batch;
}

// Batches of nearly equal size: none is left with a single row.
std::span<const std::size_t> Member::batch_rows(std::size_t batch) const {
  const std::size_t first = batch * order_.size() / batches();
  const std::size_t last = (batch + 1) * order_.size() / batches();
  return {order_.data() + first, last - first};
}

void Member::shuffle() {
  order_ = train_;
  Random(plan_.seed, Purpose::Shuffle, epoch_).shuffle(std::span<std::size_t>(order_));
}

bool Member::finished() const {
  return epoch_ >= settings_.max_epochs || epoch_ - best_epoch_ > settings_.patience;
}

void Member::advance(ThreadPool& pool, const Progress* progress) {
  while (batch_ < batches()) {
    step(pool, batch_rows(batch_));
    ++batch_;
    if (progress != nullptr && progress->stop_requested() && batch_ < batches()) return;
  }
  end_epoch(pool);
}

// L_c = mean_rows sum_k BCE(f, y (1 - (1 - w) Delta* - w D~)), into F alone.
void Member::step(ThreadPool& pool, std::span<const std::size_t> batch) {
  const Input<float> input = rows_.batch(batch, input_room_);
  predictor_.mlp.forward(pool, predictor_.parameters.data(), nullptr, input,
                         {true, plan_.seed, step_}, pass_);
  const View<const float> f = pass_.output();
  for (std::size_t i = 0; i < batch.size(); ++i)
    for (std::size_t k = 0; k < y_.cols(); ++k)
      y_(i, k) = candidates_.get(batch[i], k) ? 1.0F : 0.0F;
  float share = 0;
  if (game_) {
    game_->step(pool, step_, batch, input, y_.view(batch.size()), f);
    share = static_cast<float>(settings_.game->disambiguator ? settings_.game->share : 0);
  }
  for (std::size_t i = 0; i < batch.size(); ++i)
    for (std::size_t k = 0; k < y_.cols(); ++k) {
      float noise = noise_posterior(noise_.rate[k], f(i, k));
      if (share > 0) noise += share * (game_->noise(batch.size())(i, k) - noise);
      target_(i, k) = y_(i, k) * (1 - noise);
    }
  loss_sum_ +=
      cross_entropy<float>(f, target_.view(batch.size()), 1.0F / static_cast<float>(batch.size()),
                           pass_.output_gradient());
  predictor_.mlp.backward(pool, predictor_.parameters.data(), pass_,
                          {predictor_.gradients.data(), false, {}});
  predictor_.adam_step(pool);
  const double pace = std::max(kSlowestAverage, 1 / (1 + static_cast<double>(step_)));
  move_average<float>(pool, static_cast<float>(pace),
                      {predictor_.parameters.data(), predictor_.parameters.size()},
                      {average_.data(), average_.size()});
  ++step_;
}

void Member::end_epoch(ThreadPool& pool) {
  const double held = held_out_loss(pool);
  if (!std::isfinite(held) || !std::isfinite(loss_sum_) || (game_ && !game_->is_finite()))
    throw Error(Failure::Training, "the training diverged: a number is not finite any more", {},
                "lower the learning rate, or look for extreme values in the features");
  report_ = {{"L_c", loss_sum_ / static_cast<double>(batches())}, {"held_out", held}};
  if (game_) {
    const GameLosses& losses = game_->losses();
    report_.insert(report_.end(), {{"L_d", losses.posterior},
                                   {"L_g", losses.generation},
                                   {"L_adv", losses.adversarial},
                                   {"discriminator_accuracy", losses.discriminator_accuracy},
                                   {"mean_delta", losses.mean_noise},
                                   {"mean_z", losses.mean_confidence}});
  }
  ++epoch_;
  if (held < best_loss_) {
    best_loss_ = held;
    best_epoch_ = epoch_;
    std::ranges::copy(average_, best_.begin());
  }
  batch_ = 0;
  loss_sum_ = 0;
  shuffle();
}

// -log likelihood of the candidates of held-out rows, a row.
double Member::held_out_loss(ThreadPool& pool) {
  double sum = 0;
  for (std::size_t first = 0; first < held_.size(); first += kScoredAtOnce) {
    const std::size_t count = std::min(kScoredAtOnce, held_.size() - first);
    const std::span<const std::size_t> rows(held_.data() + first, count);
    predictor_.mlp.forward(pool, average_.data(), nullptr, rows_.batch(rows, input_room_), {},
                           pass_);
    const View<const float> f = pass_.output();
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < f.cols; ++k)
        sum += cell_loss(noise_.rate[k], f(i, k), candidates_.get(rows[i], k));
  }
  return sum / static_cast<double>(held_.size());
}

void Member::visit(const std::string& name, StateVisitor& visitor) {
  predictor_.visit(name + "/predictor", visitor);
  if (game_) game_->visit(name, visitor);
  visitor.array(name + "/average", average_);
  visitor.array(name + "/best", best_);
  visitor.number(name + "/epoch", epoch_);
  visitor.number(name + "/batch", batch_);
  visitor.number(name + "/iteration", step_);
  visitor.number(name + "/best_epoch", best_epoch_);
  visitor.real(name + "/best_loss", best_loss_);
  visitor.real(name + "/loss_sum", loss_sum_);
  shuffle();
}

}  // namespace sieve
