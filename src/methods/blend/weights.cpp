#include "methods/blend/weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "methods/network/noise_model.h"
#include "nn/functions.h"

namespace sieve {
namespace {

constexpr std::size_t kMostRows = 20000;  // enough to tell a few weights
constexpr std::size_t kRowsAtOnce = 256;
constexpr int kSteps = 60;

// Log likelihood over all rows: what one part alone has to gain over all alike to be on a par with
// them, and what a part must be ahead of all others to be taken unasked.
constexpr double kPull = 300, kClearly = 10;
// Of what the best part gains over the mere frequency of labels: less is bad.
constexpr double kLeastGain = 0.5;
constexpr double kLeastWeight = 0.05;

using Weights = std::vector<double>;

// By how much a part must be behind others before it is called bad.
double far_behind(const Targets& targets) {
  return std::clamp(static_cast<double>(targets.rows()) / 4, 10.0, 100.0);
}

// The loss of the candidates as a function of the weights.
class Objective {
 public:
  Objective(std::span<const Judgement> parts, const Targets& targets, ThreadPool& pool)
      : parts_(parts),
        targets_(targets),
        pool_(pool),
        stride_((targets.rows() + kMostRows - 1) / kMostRows) {
    for (const Judgement& part : parts) {
      Matrix& odds = odds_.emplace_back(targets.rows() / stride_, targets.labels());
      for (std::size_t i = 0; i < odds.rows(); ++i)
        std::ranges::transform(part.right->row(i * stride_), odds.row(i).begin(), log_odds);
    }
  }

  struct Value {
    double loss = 0;
    Weights gradient;
  };
  // Blocks of rows are summed up one after another: the same bits for any number of threads.
  Value operator()(const Weights& weights) const {
    const std::vector<float> rate = mean_rate(weights);
    const std::size_t rows = odds_.front().rows();
    std::vector<Value> blocks((rows + kRowsAtOnce - 1) / kRowsAtOnce);
    pool_.for_each(blocks.size(), [&](std::size_t b) {
      blocks[b].gradient.resize(weights.size());
      for (std::size_t i = b * kRowsAtOnce; i < std::min(rows, (b + 1) * kRowsAtOnce); ++i)
        add_row(weights, rate, i, blocks[b]);
    });
    Value sum{0, Weights(weights.size())};
    for (const Value& block : blocks) {
      sum.loss += times() * block.loss;
      for (std::size_t m = 0; m < weights.size(); ++m)
        sum.gradient[m] += times() * block.gradient[m];
    }
    return sum;
  }

  // The loss of one who knows only how frequent labels are.
  double loss_of_frequencies() const {
    double loss = 0;
    double rows = 0;
    for (std::size_t i = 0; i < odds_.front().rows(); ++i) rows += weight(i);
    for (std::size_t k = 0; k < targets_.labels(); ++k) {
      double on = 0;
      for (std::size_t i = 0; i < odds_.front().rows(); ++i)
        on += weight(i) * double{targets_(i * stride_, k)};
      for (const double count : {on, rows - on})
        if (count > 0) loss -= times() * count * std::log(count / rows);
    }
    return loss;
  }

 private:
  double weight(std::size_t i) const { return double{targets_.weight(i * stride_)}; }

  // Rows that each row looked at stands for.
  double times() const {
    return static_cast<double>(targets_.rows()) / static_cast<double>(odds_.front().rows());
  }

  std::vector<float> mean_rate(const Weights& weights) const {
    std::vector<float> rate(targets_.labels());
    for (std::size_t m = 0; m < weights.size(); ++m)
      for (std::size_t k = 0; k < rate.size(); ++k)
        rate[k] += static_cast<float>(weights[m]) * parts_[m].rate[k];
    return rate;
  }

  void add_row(const Weights& weights, const std::vector<float>& rate, std::size_t i,
               Value& sum) const {
    const double counts = weight(i);
    for (std::size_t k = 0; k < rate.size(); ++k) {
      double f = 0;
      for (std::size_t m = 0; m < weights.size(); ++m) f += weights[m] * double{odds_[m](i, k)};
      const float target = targets_(i * stride_, k);
      sum.loss += counts * cell_loss(rate[k], static_cast<float>(f), target);
      const double right = sigmoid(f), r = double{rate[k]}, candidate = right + (1 - right) * r;
      const double on = double{target};
      const double by_odds = right - on * right / candidate;
      const double by_rate = on * (right - 1) / candidate + (1 - on) / (1 - r);
      for (std::size_t m = 0; m < weights.size(); ++m)
        sum.gradient[m] +=
            counts * (by_odds * double{odds_[m](i, k)} + by_rate * double{parts_[m].rate[k]});
    }
  }

  std::span<const Judgement> parts_;
  Targets targets_;
  ThreadPool& pool_;
  std::size_t stride_;  // among the rows, where there are more than needed
  std::vector<Matrix> odds_;
};

Objective::Value pulled(const Objective& objective, const Weights& weights) {
  Objective::Value value = objective(weights);
  const auto parts = static_cast<double>(weights.size());
  for (std::size_t m = 0; m < weights.size(); ++m) {
    const double from_equal = weights[m] - 1 / parts;
    value.loss += kPull * parts * from_equal * from_equal / 2;
    value.gradient[m] += kPull * parts * from_equal;
  }
  return value;
}

// Steps that multiply weights stay on the simplex. A step too far is taken again at half the size.
Weights best_weights(const Objective& objective, std::size_t parts, std::size_t rows) {
  Weights weights(parts, 1 / static_cast<double>(parts));
  Objective::Value value = pulled(objective, weights);
  double size = 1 / static_cast<double>(rows);
  for (int step = 0; step < kSteps; ++step) {
    Weights next = weights;
    const double lowest = *std::ranges::min_element(value.gradient);
    for (std::size_t m = 0; m < parts; ++m)
      next[m] *= std::exp(-size * (value.gradient[m] - lowest));
    const double sum = std::accumulate(next.begin(), next.end(), 0.0);
    for (double& weight : next) weight /= sum;
    Objective::Value there = pulled(objective, next);
    if (there.loss < value.loss) {
      weights = std::move(next);
      value = std::move(there);
      size *= 1.5;
    } else {
      size /= 2;
    }
  }
  return weights;
}

// The parts that each alone tell not much less than the best.
std::vector<std::size_t> good_parts(const Objective& objective, std::size_t parts,
                                    double far_behind) {
  const double nothing = objective.loss_of_frequencies();
  std::vector<double> gains;
  for (std::size_t m = 0; m < parts; ++m) {
    Weights alone(parts);
    alone[m] = 1;
    gains.push_back(nothing - objective(alone).loss);
  }
  const double best = *std::ranges::max_element(gains);
  std::vector<std::size_t> good;
  for (std::size_t m = 0; m < parts; ++m)
    if (gains[m] >= kLeastGain * best || gains[m] > best - far_behind) good.push_back(m);
  return good;
}

// To whole 256ths, which add up to 1 and hide the last bits of logarithms.
std::vector<float> rounded(const Weights& weights) {
  std::vector<float> out;
  for (const double weight : weights)
    out.push_back(static_cast<float>(std::round(weight * 256) / 256));
  *std::ranges::max_element(out) += 1 - std::accumulate(out.begin(), out.end(), 0.0F);
  return out;
}

}  // namespace

float log_odds(float probability) {
  const double p = double{std::clamp(probability, kSureOdds, 1 - kSureOdds)};
  return static_cast<float>(std::log(p / (1 - p)));
}

void add_log_odds(const Matrix& right, float weight, ThreadPool& pool, Matrix& sums) {
  pool.for_blocks(right.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t k = 0; k < right.cols(); ++k) sums(i, k) += weight * log_odds(right(i, k));
  });
}

std::vector<float> learn_weights(std::span<const Judgement> parts, const Targets& targets,
                                 ThreadPool& pool) {
  const Objective objective(parts, targets, pool);
  std::vector<std::size_t> good = good_parts(objective, parts.size(), far_behind(targets));
  Weights found;
  if (good.size() == parts.size()) {
    found = best_weights(objective, parts.size(), targets.rows());
    std::erase_if(good, [&](std::size_t m) { return found[m] < kLeastWeight; });
  }
  if (good.size() == parts.size()) return rounded(found);
  std::vector<float> weights(parts.size());
  std::vector<Judgement> kept;
  for (const std::size_t m : good) kept.push_back(parts[m]);
  const std::vector<float> among = learn_weights(kept, targets, pool);
  for (std::size_t m = 0; m < good.size(); ++m) weights[good[m]] = among[m];
  return weights;
}

std::vector<float> learn_weights_with_last(std::span<const Judgement> parts, std::size_t rivals,
                                           bool only_far_ahead, const Targets& targets,
                                           ThreadPool& pool) {
  constexpr double kUsual = 1.0 / 3;
  constexpr int kSizes = 20;
  std::vector<float> others = learn_weights(parts.first(parts.size() - 1), targets, pool);
  others.push_back(0);
  const Objective objective(parts, targets, pool);
  const auto with_last = [&](double last) {
    Weights weights(others.begin(), others.end());
    for (double& weight : weights) weight *= 1 - last;
    weights.back() = last;
    return weights;
  };
  // Where the last part tells far less, little of it would still do harm.
  Weights of_rivals = with_last(0);
  if (rivals + 1 < parts.size()) {
    const std::vector<float> first = learn_weights(parts.first(rivals), targets, pool);
    of_rivals.assign(first.begin(), first.end());
    of_rivals.resize(parts.size());
  }
  const double behind = objective(with_last(1)).loss - objective(of_rivals).loss;
  if (behind > (only_far_ahead ? -kClearly : far_behind(targets))) return others;
  double best = 0, least = std::numeric_limits<double>::infinity();
  for (int size = 0; size <= kSizes; ++size) {
    const double last = static_cast<double>(size) / kSizes;
    const double loss = objective(with_last(last)).loss + kPull * (last - kUsual) * (last - kUsual);
    if (loss < least) best = last, least = loss;
  }
  return rounded(with_last(best));
}

}  // namespace sieve
