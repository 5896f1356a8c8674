#include "methods/network/member.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/team_work.h"
#include "labelsieve/error.h"
#include "labelsieve/prepare.h"
#include "linalg/paging.h"
#include "methods/network/rows.h"
#include "nn/functions.h"

namespace sieve {
namespace {

constexpr std::size_t kScoredAtOnce = 256;
constexpr std::size_t kHeldAtOnce = kWindowRows / 8;  // held-out rows lie far apart
// Of held-out rows, and of their cells, that are asked for the noise of labels.
constexpr std::size_t kMostRowsAsked = 30'000, kMostCellsAsked = std::size_t{1} << 22;
constexpr double kSlowestAverage = 0.01;

Split no_split(std::size_t rows) {
  Split all;
  all.train.resize(rows);
  std::iota(all.train.begin(), all.train.end(), std::size_t{0});
  all.test = all.train;
  return all;
}

}  // namespace

bool stop_asked(const BatchParts& layout, const Progress* progress) {
  const std::uint8_t mine = progress != nullptr && progress->stop_requested();
  if (layout.team() == nullptr) return mine;
  return std::ranges::count(gathered(*layout.team(), mine), 1) > 0;
}

Split hold_out(std::size_t rows, std::size_t fold) {
  if (rows < kHeldOutFolds) return no_split(rows);
  return split_of_fold(folds_random(rows, kHeldOutFolds, 0), fold % kHeldOutFolds);
}

MlpSpec predictor_spec(std::size_t inputs, std::size_t labels, std::size_t depth, std::size_t width,
                       double dropout) {
  MlpSpec spec{inputs, {}};
  const std::size_t hidden = depth == 1 ? 2 * width : width;
  for (std::size_t l = 0; l < depth; ++l)
    spec.layers.push_back({hidden, Activation::LeakyRelu, false, dropout});
  spec.layers.push_back({labels, Activation::Identity});
  return spec;
}

Member::Member(const NetRows& rows, const Targets& targets, const MemberSettings& settings,
               const MemberPlan& plan)
    : rows_(rows),
      targets_(targets),
      settings_(settings),
      plan_(plan),
      best_loss_(std::numeric_limits<double>::max()) {
  // Members share the cut into folds, so that together they see every row.
  Split split =
      settings.held_out_stopping ? hold_out(rows.rows(), plan.fold) : no_split(rows.rows());
  train_ = std::move(split.train);
  held_ = std::move(split.test);
  settings.layout.require_rows(train_.size() / batches(), "rows of a batch");
  noise_ =
      settings.noise.rate.empty() ? guess_noise(targets, train_, plan.noise_share) : settings.noise;
  const MlpSpec spec =
      predictor_spec(rows.inputs(), targets.labels(), plan.depth, settings.width, settings.dropout);
  AdamOptions adam;
  adam.rate = settings.learning_rate;
  adam.beta1 = settings.adam_beta1;
  trainee_ = settings.make_trainee({rows_,
                                    targets_,
                                    noise_,
                                    spec,
                                    std::min(settings.batch, train_.size()),
                                    plan.beta,
                                    plan.share,
                                    plan.seed,
                                    adam,
                                    settings.layout,
                                    {settings.held_out_stopping ? kSlowestAverage : 1}});
  best_ = trainee_->average().clone();
  pass_ = mlp().context(kScoredAtOnce);
  input_room_ = rows.room(kScoredAtOnce);
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
  order_ = windowed_order(train_, plan_.seed, epoch_);
}

// Where a batch begins a window, the rows of that window are wanted and those before are not.
void Member::look_ahead() const {
  const auto window = [&](std::size_t batch) {
    return static_cast<std::size_t>(batch_rows(batch).data() - order_.data()) / kWindowRows;
  };
  if (batch_ != 0 && window(batch_) == window(batch_ - 1)) return;
  const std::size_t first = window(batch_) * kWindowRows;
  rows_.expect({order_.data() + first, std::min(kWindowRows, order_.size() - first)});
}

bool Member::finished() const {
  return epoch_ >= settings_.max_epochs || epoch_ - best_epoch_ > settings_.patience;
}

void Member::advance(ThreadPool& pool, const Progress* progress) {
  while (batch_ < batches()) {
    step(pool);
    if (stop_asked(settings_.layout, progress) && batch_ < batches()) return;
  }
  end_epoch(pool);
}

void Member::step(ThreadPool& pool) {
  look_ahead();
  loss_sum_ += trainee_->step(pool, step_, batch_rows(batch_));
  ++batch_;
  ++step_;
}

void Member::end_epoch(ThreadPool& pool) {
  trainee_->settle(pool);
  const Array<float>& average = trainee_->average();
  const double classification = loss_sum_ / static_cast<double>(batches());
  const double held = settings_.held_out_stopping ? held_out_loss(pool) : classification;
  require_finite(held);
  require_finite(classification);
  // The last step came after its loss.
  trainee_->for_changed([&](std::size_t first, std::size_t count) {
    require_finite({average.data() + first, count});
  });
  ++epoch_;
  if (held < best_loss_ || !settings_.held_out_stopping) {
    best_loss_ = held;
    best_epoch_ = epoch_;
    trainee_->for_changed([&](std::size_t first, std::size_t count) {
      std::copy_n(average.data() + first, count, best_.data() + first);
    });
  }
  batch_ = 0;
  loss_sum_ = 0;
  shuffle();
  report_ = {{"L_c", classification}, {"held_out", held}};
  trainee_->report_epoch(report_);
}

// Of held-out rows, a row. They are cut into as many parts as a batch.
double Member::held_out_loss(ThreadPool& pool) {
  const BatchParts& layout = settings_.layout;
  std::vector<double> sums(layout.count());
  for (std::size_t part = layout.first(); part < layout.first() + layout.mine(); ++part) {
    const auto [first, last] = layout.rows_of(part, held_.size());
    sums[part] = held_out_sum(pool, {held_.data() + first, last - first});
  }
  layout.gather(std::span<double>(sums));
  double rows = 0;
  for (const std::size_t i : held_) rows += double{targets_.weight(i)};
  return std::accumulate(sums.begin(), sums.end(), 0.0) / rows;
}

template <class Use>
void Member::pass_held_out(ThreadPool& pool, const Array<float>& weights,
                           std::span<const std::size_t> held, const Use& use) {
  for (std::size_t first = 0; first < held.size(); first += kScoredAtOnce) {
    const std::size_t count = std::min(kScoredAtOnce, held.size() - first);
    const std::span<const std::size_t> rows = held.subspan(first, count);
    if (first % kHeldAtOnce == 0)
      rows_.expect(held.subspan(first, std::min(kHeldAtOnce, held.size() - first)));
    mlp().forward(pool, weights.data(), rows_.batch(rows, input_room_), {}, pass_);
    use(rows, pass_.output());
  }
}

double Member::held_out_sum(ThreadPool& pool, std::span<const std::size_t> held) {
  double sum = 0;
  if (held_targets_.rows() == 0) held_targets_ = Panel<float>(kScoredAtOnce, targets_.labels());
  const auto add = [&](std::span<const std::size_t> rows, View<const float> f) {
    gather_targets(targets_, rows, held_targets_);
    const View<const float> targets = held_targets_.view(rows.size());
    if (settings_.held_out_loss) {
      sum += settings_.held_out_loss(noise_, f, targets);
      return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double weight = double{targets_.weight(rows[i])};
      for (std::size_t k = 0; k < f.cols; ++k)
        sum += weight * cell_loss(noise_.rate[k], f(i, k), targets(i, k));
    }
  };
  pass_held_out(pool, trainee_->average(), held, add);
  return sum;
}

void Member::add_held_out_scores(ThreadPool& pool, float part, Matrix& sums) {
  pass_held_out(pool, best_, held_, [&](std::span<const std::size_t> rows, View<const float> f) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < f.cols; ++k) sums(rows[i], k) += part * sigmoid(f(i, k));
  });
}

NoiseModel Member::learn_noise_from_held_out(ThreadPool& pool) {
  const std::size_t room = kMostCellsAsked / std::max<std::size_t>(targets_.labels(), 1) + 1;
  std::vector<std::size_t> asked(std::min({held_.size(), kMostRowsAsked, room}));
  for (std::size_t i = 0; i < asked.size(); ++i) asked[i] = held_[i * held_.size() / asked.size()];
  Matrix scores(asked.size(), targets_.labels());
  std::size_t next = 0;
  pass_held_out(pool, best_, asked, [&](std::span<const std::size_t> rows, View<const float> f) {
    for (std::size_t i = 0; i < rows.size(); ++i, ++next)
      for (std::size_t k = 0; k < f.cols; ++k) scores(next, k) = sigmoid(f(i, k));
  });
  const UnionModel found = fit_union(targets_.candidates().select_rows(asked), scores, pool);
  return learn_noise(targets_, train_, double{std::ranges::max(noise_.rate)}, found);
}

void Member::visit(const std::string& name, StateVisitor& visitor) {
  trainee_->visit(name, visitor);
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
