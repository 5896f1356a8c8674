#include "methods/forest/noise_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "nn/functions.h"

namespace sieve {
namespace {

constexpr std::size_t kMostSupporters = 10;  // of a label
constexpr std::size_t kMostLookedAt = 512;   // labels, the most frequent ones
constexpr double kPull = 10;                 // of a weight towards 0
constexpr double kPullOfLine = 0.02;
constexpr std::size_t kInputs = 2 + kMostSupporters;  // 1, what features say, and supporters

using Inputs = std::array<double, kInputs>;

// Rows 0, 2, 4, ... or 1, 3, 5, ...
struct Half {
  std::size_t first, rows;
};

// The labels that are looked at for support of others.
std::vector<std::size_t> frequent_labels(const LabelMatrix& candidates) {
  const std::vector<std::size_t> counts = candidates.label_counts();
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t k) { return counts[k]; });
  order.resize(std::min(order.size(), kMostLookedAt));
  return order;
}

// A logistic regression of one label on the inputs, with no weight of a supporter below 0.
class Support {
 public:
  // `beyond` (rows x labels): what candidates are beyond what features said of them. `odds`: what
  // features said of this label.
  Support(const Matrix& beyond, const LabelMatrix& candidates, const std::vector<float>& odds,
          std::size_t label)
      : beyond_(beyond), candidates_(candidates), odds_(odds), label_(label) {}

  void learn(Half half, const std::vector<std::size_t>& looked_at) {
    choose(half, looked_at);
    weights_ = {};
    weights_[1] = 1;
    constexpr int kSteps = 8;
    for (int step = 0; step < kSteps; ++step) refit(half);
  }

  double log_odds(std::size_t i) const {
    const Inputs x = inputs(i);
    return std::inner_product(x.begin(), x.end(), weights_.begin(), 0.0);
  }

 private:
  // Those whose candidates most surely come together with those of the label.
  void choose(Half half, const std::vector<std::size_t>& looked_at) {
    std::vector<double> together(beyond_.cols()), squares(beyond_.cols());
    for (std::size_t i = half.first; i < half.rows; i += 2) {
      const auto row = beyond_.row(i);
      for (const std::size_t j : looked_at) {
        together[j] += double{row[label_]} * double{row[j]};
        squares[j] += double{row[j]} * double{row[j]};
      }
    }
    supporters_.clear();
    for (const std::size_t j : looked_at)
      if (j != label_ && together[j] > 0) supporters_.push_back(j);
    const std::size_t kept = std::min(supporters_.size(), kMostSupporters);
    std::ranges::partial_sort(
        supporters_, supporters_.begin() + static_cast<std::ptrdiff_t>(kept), {},
        [&](std::size_t j) { return std::pair(-together[j] / std::sqrt(squares[j]), j); });
    supporters_.resize(kept);
  }

  Inputs inputs(std::size_t i) const {
    Inputs x{1, double{odds_[i]}};
    for (std::size_t s = 0; s < supporters_.size(); ++s)
      x[2 + s] = double{beyond_(i, supporters_[s])};
    return x;
  }

  // The best weights for the curvature at the ones so far.
  void refit(Half half) {
    std::array<Inputs, kInputs> curve{};
    Inputs slope{};
    for (std::size_t j = 0; j < kInputs; ++j) {
      const double pull = j < 2 ? kPullOfLine : kPull;
      curve[j][j] = pull;
      slope[j] = -pull * weights_[j];
    }
    for (std::size_t i = half.first; i < half.rows; i += 2) {
      const Inputs x = inputs(i);
      const double p = sigmoid(std::inner_product(x.begin(), x.end(), weights_.begin(), 0.0));
      const double by = (candidates_.get(i, label_) ? 1 : 0) - p, spread = p * (1 - p);
      for (std::size_t j = 0; j < kInputs; ++j) {
        slope[j] += by * x[j];
        for (std::size_t l = 0; l < kInputs; ++l) curve[j][l] += spread * x[j] * x[l];
      }
    }
    step(curve, slope);
  }

  void step(const std::array<Inputs, kInputs>& curve, Inputs slope) {
    constexpr int kSweeps = 30;
    constexpr double kFurthest = 1;
    Inputs moved{};
    for (int sweep = 0; sweep < kSweeps; ++sweep)
      for (std::size_t j = 0; j < kInputs; ++j) {
        const double least = j == 0 ? -kFurthest : std::max(-kFurthest, -weights_[j] - moved[j]);
        const double by = std::clamp(slope[j] / curve[j][j], least, kFurthest);
        moved[j] += by;
        for (std::size_t l = 0; l < kInputs; ++l) slope[l] -= by * curve[j][l];
      }
    for (std::size_t j = 0; j < kInputs; ++j) weights_[j] += moved[j];
  }

  const Matrix& beyond_;
  const LabelMatrix& candidates_;
  const std::vector<float>& odds_;
  std::size_t label_;
  std::vector<std::size_t> supporters_;
  Inputs weights_{};
};

// Log-odds on the scale of all rows.
std::vector<float> odds_of(const Matrix& probabilities, std::size_t label) {
  constexpr double kLeast = 1e-4;
  std::vector<float> odds;
  double mean = 0, square = 0;
  const auto rows = static_cast<double>(probabilities.rows());
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    const double p = std::clamp(double{probabilities(i, label)}, kLeast, 1 - kLeast);
    odds.push_back(static_cast<float>(std::log(p / (1 - p))));
    mean += double{odds.back()} / rows;
    square += double{odds.back()} * double{odds.back()} / rows;
  }
  const double spread = std::sqrt(std::max(square - mean * mean, 1e-6));
  for (float& value : odds) value = static_cast<float>((double{value} - mean) / spread);
  return odds;
}

}  // namespace

Matrix supported_by_other_labels(const Matrix& probabilities, const LabelMatrix& candidates,
                                 ThreadPool& pool) {
  const std::size_t rows = probabilities.rows();
  Matrix beyond(rows, probabilities.cols()), out(rows, probabilities.cols());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < beyond.cols(); ++k)
      beyond(i, k) = (candidates.get(i, k) ? 1.0F : 0.0F) - probabilities(i, k);
  const std::vector<std::size_t> looked_at = frequent_labels(candidates);
  pool.for_each(beyond.cols(), [&](std::size_t k) {
    const std::vector<float> odds = odds_of(probabilities, k);
    Support support(beyond, candidates, odds, k);
    for (const std::size_t half : {0, 1}) {
      support.learn({half, rows}, looked_at);
      for (std::size_t i = 1 - half; i < rows; i += 2)
        out(i, k) = static_cast<float>(sigmoid(support.log_odds(i)));
    }
  });
  return out;
}

}  // namespace sieve
