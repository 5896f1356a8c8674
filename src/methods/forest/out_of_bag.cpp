#include "methods/forest/out_of_bag.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sieve {
namespace {

constexpr float kUnit = 65536;

}  // namespace

void OutOfBag::add(const Tree& tree, std::span<const std::uint32_t> rows,
                   std::span<const std::uint32_t> leaf_of) {
  const std::size_t labels = sums_.cols();
  const std::lock_guard lock(mutex_);
  for (const std::uint32_t i : rows) {
    const float* shares = tree.shares.data() + leaf_of[i] * labels;
    std::uint32_t* sums = sums_.row(i).data();
    for (std::size_t k = 0; k < labels; ++k)
      sums[k] += static_cast<std::uint32_t>(shares[k] * kUnit);
    ++trees_[i];
  }
}

Matrix OutOfBag::probabilities(std::span<const float> frequency) const {
  Matrix out(sums_.rows(), sums_.cols());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    const float trees = static_cast<float>(trees_[i]) + 1;
    for (std::size_t k = 0; k < out.cols(); ++k)
      out(i, k) = (static_cast<float>(sums_(i, k)) / kUnit + frequency[k]) / trees;
  }
  return out;
}

double mean_log_loss(const Matrix& probabilities, const Targets& targets) {
  constexpr double kLeast = 1e-6;  // labels that all rows have, or none
  const auto loss = [&](double p) { return -std::log(std::max(p, kLeast)); };
  std::vector<float> of_row(targets.labels());
  double sum = 0;
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    targets.copy_row(i, of_row);
    const double weight = double{targets.weight(i)};
    for (std::size_t k = 0; k < of_row.size(); ++k) {
      const double p = double{probabilities(i, k)}, t = double{of_row[k]};
      if (t > 0) sum += weight * t * loss(p);
      if (t < 1) sum += weight * (1 - t) * loss(1 - p);
    }
  }
  return sum / static_cast<double>(targets.rows() * targets.labels());
}

namespace {

// Of the rows, those with the lowest probability of a label: at least this share of them, and up to
// that one where few rows have the label; each that has it right takes some more off.
constexpr double kLowest = 0.15, kMost = 0.75, kOffForRight = 2.5;
constexpr double kLargestRate = 0.98;

// The share of candidates among the rows where a label is least likely, and among all.
struct LowRows {
  double share, variance;
  double part;  // of all rows
  double frequency;

  // How often the label would be right if its noise had this rate.
  double right(double rate) const { return std::max(0.0, (frequency - rate) / (1 - rate)); }
  // Of right(), by chance.
  double variance_of_right(double rate) const {
    return variance * (1 - part) / ((1 - rate) * (1 - rate));
  }
};

class OneLabel {
 public:
  OneLabel(const Matrix& probabilities, const Targets& targets, std::size_t label)
      : ticks_{0}, weights_{0} {
    std::vector<std::pair<float, std::uint32_t>> order(targets.rows());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = {probabilities(i, label), i};
    std::ranges::sort(order);
    for (const auto& [p, i] : order) {
      const double weight = double{targets.weight(i)};
      const bool on = targets.candidates().get(i, label);
      ticks_.push_back(ticks_.back() + (on ? weight : 0));
      weights_.push_back(weights_.back() + weight);
    }
  }

  LowRows low_rows() const {
    constexpr int kLooks = 2;
    double part = kLowest;
    for (int look = 0; look < kLooks; ++look) {
      const double right = (share(1) - share(part)) / std::max(1 - share(part), 1e-9);
      part = std::clamp(kMost - kOffForRight * right, kLowest, kMost);
    }
    const double found = share(part);
    const double rows = part * static_cast<double>(ticks_.size() - 1);
    return {found, found * (1 - found) / rows, part, share(1)};
  }

 private:
  double share(double part) const {
    const double rows = part * static_cast<double>(ticks_.size() - 1);
    const auto count = static_cast<std::size_t>(std::max(1.0, rows));
    return weights_[count] > 0 ? ticks_[count] / weights_[count] : 0;
  }

  std::vector<double> ticks_, weights_;  // up to each row, from the lowest on
};

// Shares are too high, if anything: those of the lower half tell what is common to all labels, and
// how much labels differ beyond chance.
std::vector<LowRows> lower_half(std::vector<LowRows> labels) {
  std::ranges::sort(labels, {}, &LowRows::share);
  labels.resize((labels.size() + 1) / 2);
  return labels;
}

std::vector<float> of_single_precision(const std::vector<double>& rates) {
  std::vector<float> out;
  for (const double rate : rates) out.push_back(static_cast<float>(std::min(rate, kLargestRate)));
  return out;
}

// Few labels are about equally often right, as far as their differences may be chance: what one of
// them has more is noise. `strength` is 0 to 1.
void draw_together(const std::vector<LowRows>& labels, double strength,
                   std::vector<double>& rates) {
  const auto count = static_cast<double>(labels.size());
  double mean = 0, spread = 0, by_chance = 0;
  for (std::size_t k = 0; k < labels.size(); ++k) mean += labels[k].right(rates[k]) / count;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const double from = labels[k].right(rates[k]) - mean;
    spread += from * from / count;
    by_chance += strength * labels[k].variance_of_right(rates[k]) / count;
  }
  const double real = std::max(spread - by_chance, 0.0);
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const double chance = strength * labels[k].variance_of_right(rates[k]);
    if (!(real + chance > 0)) continue;
    const double right = mean + real / (real + chance) * (labels[k].right(rates[k]) - mean);
    rates[k] = right < 1 ? std::max(0.0, (labels[k].frequency - right) / (1 - right)) : 0;
  }
}

}  // namespace

std::vector<float> noise_rates(const Matrix& probabilities, const Targets& targets,
                               std::span<const float> evidence) {
  std::vector<LowRows> labels;
  for (std::size_t k = 0; k < targets.labels(); ++k)
    labels.push_back(OneLabel(probabilities, targets, k).low_rows());
  const std::vector<LowRows> lower = lower_half(labels);
  const auto count = static_cast<double>(lower.size());
  double common = 0, by_chance = 0, spread = 0;
  for (const LowRows& label : lower) {
    const double from = label.share - lower.back().share;
    common += label.share / count;
    by_chance += label.variance / count;
    spread += from * from / count;
  }
  // Twice what chance makes of them is nothing out of the ordinary.
  const double trust = spread > 2 * by_chance ? 1 - 2 * by_chance / spread : 0;
  const auto believed = [&](double share) { return common + trust * (share - common); };
  // The spread of a few labels says little: of six, half of which are looked at, nothing.
  const double known = std::max(0.0, 1 - 3 / count);
  const double usual = believed(lower.back().share + known * std::sqrt(spread));
  std::vector<double> rates;
  for (const LowRows& label : labels) rates.push_back(believed(label.share));
  if (!evidence.empty()) {
    for (std::size_t k = 0; k < labels.size(); ++k) {
      const double least = std::min(double{evidence[k]}, labels[k].share);
      rates[k] = std::clamp(rates[k], least, std::max(usual, least));
    }
    draw_together(labels, (1 - known) * (1 - known), rates);
  }
  return of_single_precision(rates);
}

std::vector<float> common_noise_rate(const Matrix& probabilities, const Targets& targets) {
  std::vector<LowRows> labels;
  double most = kLargestRate;
  for (std::size_t k = 0; k < targets.labels(); ++k) {
    const LowRows& label = labels.emplace_back(OneLabel(probabilities, targets, k).low_rows());
    const double f = label.frequency;
    most = std::min(most, f + std::sqrt(f * (1 - f) / static_cast<double>(targets.rows())));
  }
  const std::vector<LowRows> lower = lower_half(std::move(labels));
  double common = 0;
  for (const LowRows& label : lower) common += label.share / static_cast<double>(lower.size());
  return std::vector<float>(targets.labels(), static_cast<float>(std::min(common, most)));
}

}  // namespace sieve
