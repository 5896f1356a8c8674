#include "methods/forest/out_of_bag.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

constexpr double kLowest = 0.15;  // of the rows
constexpr double kLargestRate = 0.98;

// The share of candidates k among the `count` rows where they are least likely.
double share_of_lowest(const Matrix& probabilities, const Targets& targets, std::size_t k,
                       std::size_t count, std::vector<std::size_t>& order) {
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(count - 1), {},
                           [&](std::size_t i) { return std::pair(probabilities(i, k), i); });
  double ticks = 0, all = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = double{targets.weight(order[i])};
    ticks += targets.candidates().get(order[i], k) ? weight : 0;
    all += weight;
  }
  return ticks / all;
}

}  // namespace

std::vector<float> noise_rates(const Matrix& probabilities, const Targets& targets) {
  const double rows = static_cast<double>(targets.rows());
  const auto low = static_cast<std::size_t>(std::max(1.0, kLowest * rows));
  std::vector<std::size_t> order(targets.rows());
  std::vector<double> shares;
  for (std::size_t k = 0; k < targets.labels(); ++k)
    shares.push_back(share_of_lowest(probabilities, targets, k, low, order));

  // Shares are too high, if anything: those of the lower half tell what is common to all labels,
  // and how much labels differ beyond chance.
  std::vector<double> lower = shares;
  std::ranges::sort(lower);
  lower.resize((lower.size() + 1) / 2);
  const double common =
      std::accumulate(lower.begin(), lower.end(), 0.0) / static_cast<double>(lower.size());
  const double by_chance = common * (1 - common) / static_cast<double>(low);
  double spread = 0;
  for (const double share : lower) {
    const double from = share - lower.back();
    spread += from * from / static_cast<double>(lower.size());
  }
  // Twice what chance makes of them is nothing out of the ordinary.
  const double trust = spread > 2 * by_chance ? 1 - 2 * by_chance / spread : 0;
  std::vector<float> rates;
  for (const double share : shares)
    rates.push_back(static_cast<float>(std::min(common + trust * (share - common), kLargestRate)));
  return rates;
}

}  // namespace sieve
