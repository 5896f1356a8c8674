#include "methods/forest/out_of_bag.h"

#include <algorithm>
#include <cmath>

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
    for (std::size_t k = 0; k < of_row.size(); ++k) {
      const double p = double{probabilities(i, k)}, t = double{of_row[k]};
      if (t > 0) sum += t * loss(p);
      if (t < 1) sum += (1 - t) * loss(1 - p);
    }
  }
  return sum / static_cast<double>(targets.rows() * targets.labels());
}

}  // namespace sieve
