#include "methods/comes/risks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "nn/functions.h"

namespace sieve {
namespace {

// Adds one row's pairs to `gradient`, which is set, and returns their sum. With e = exp(logit),
// sigmoid(a_j - a_k) is e_j / (e_j + e_k): an exponential a label and not a pair.
template <class Real>
double add_pairs(std::span<const Real> logits, const Real* candidate, std::span<const Real> weight,
                 std::span<Real> e, Real* gradient) {
  const std::size_t labels = logits.size();
  const Real top = *std::ranges::max_element(logits);
  for (std::size_t k = 0; k < labels; ++k) e[k] = exponential(logits[k] - top);
  std::fill_n(gradient, labels, Real(0));
  double total = 0;
  for (std::size_t j = 0; j < labels; ++j) {
    const Real w = (1 - candidate[j]) * weight[j];
    if (w == 0) continue;
    Real sum = Real(-0.5), slopes = 0;  // k = j, which is no pair, gives 1/2
    for (std::size_t k = 0; k < labels; ++k) {
      const Real s = e[j] / (e[j] + e[k]), slope = w * s * (1 - s);
      sum += s;
      slopes += slope;
      gradient[k] -= slope;
    }
    gradient[j] += slopes;
    total += static_cast<double>(w * sum);
  }
  return total;
}

}  // namespace

template <class Real>
double hamming_risk(View<const Real> logits, View<const Real> candidates,
                    std::span<const Real> weight, std::span<Real> room, View<Real> gradient) {
  const std::size_t labels = logits.cols;
  const std::span<Real> positive = room.first(labels), negative = room.last(labels);
  std::ranges::fill(room, Real(0));
  for (std::size_t i = 0; i < logits.rows; ++i)
    for (std::size_t j = 0; j < labels; ++j) {
      const Real a = logits(i, j), w = (1 - candidates(i, j)) * weight[j];
      const Real irrelevant = softplus(a);
      positive[j] += (1 - w) * (irrelevant - a);
      negative[j] += w * irrelevant;
    }
  const Real scale = Real(1) / static_cast<Real>(logits.rows * labels);
  double risk = 0;
  for (std::size_t j = 0; j < labels; ++j) {
    risk += static_cast<double>(std::abs(positive[j]) + negative[j]);
    positive[j] = positive[j] < 0 ? -scale : scale;  // the slope of |P_j|
  }
  for (std::size_t i = 0; i < logits.rows; ++i)
    for (std::size_t j = 0; j < labels; ++j) {
      const Real p = sigmoid(logits(i, j)), w = (1 - candidates(i, j)) * weight[j];
      gradient(i, j) = positive[j] * (1 - w) * (p - 1) + scale * w * p;
    }
  return static_cast<double>(scale) * risk;
}

template <class Real>
double ranking_risk(View<const Real> logits, View<const Real> candidates,
                    std::span<const Real> weight, double flood, std::span<Real> room,
                    View<Real> gradient) {
  const std::size_t labels = logits.cols;
  const std::size_t pairs = std::max<std::size_t>(labels * (labels - 1) / 2, 1);
  const double scale = 1 / static_cast<double>(logits.rows * pairs);
  double risk = 0;
  for (std::size_t i = 0; i < logits.rows; ++i)
    risk += scale * add_pairs<Real>({logits.row(i), labels}, candidates.row(i), weight, room,
                                    gradient.row(i));
  const Real slope = static_cast<Real>(risk < flood ? -scale : scale);
  for (std::size_t i = 0; i < logits.rows; ++i)
    for (std::size_t j = 0; j < labels; ++j) gradient(i, j) *= slope;
  return std::abs(risk - flood) + flood;
}

#define SIEVE_INSTANTIATE(Number)                                                               \
  template double hamming_risk(View<const Number>, View<const Number>, std::span<const Number>, \
                               std::span<Number>, View<Number>);                                \
  template double ranking_risk(View<const Number>, View<const Number>, std::span<const Number>, \
                               double, std::span<Number>, View<Number>);
SIEVE_INSTANTIATE(float)
SIEVE_INSTANTIATE(double)
#undef SIEVE_INSTANTIATE

double best_hamming_cut(const Matrix& scores, const LabelMatrix& candidates,
                        const NoiseModel& noise) {
  std::vector<std::pair<float, float>> cells;  // score, what being on costs
  cells.reserve(scores.rows() * scores.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k)
      cells.emplace_back(scores(i, k), candidates.get(i, k) ? -1.0F : 2 / (1 - noise.rate[k]) - 1);
  std::ranges::sort(cells, std::greater<>());
  if (cells.empty()) return 0.5;
  double cost = 0, least = 0, cut = std::numeric_limits<float>::infinity();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    cost += static_cast<double>(cells[c].second);
    const bool last = c + 1 == cells.size();
    if (cost >= least || (!last && cells[c + 1].first == cells[c].first)) continue;
    least = cost;
    cut = last ? cells[c].first : (cells[c].first + cells[c + 1].first) / 2;
  }
  return cut;
}

namespace {

constexpr double kLargestRate = 0.98;  // rows without the candidate count at most 50 times

// The share of rows without candidate j in the best bin, at least that in all rows.
double best_share(const Matrix& scores, const LabelMatrix& candidates, std::size_t j,
                  std::vector<std::size_t>& order) {
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(scores(i, j), i); });
  const double caution = std::log(static_cast<double>(order.size()));
  double best_bound = std::numeric_limits<double>::lowest(), best = 0, without = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    without += candidates.get(order[k], j) ? 0 : 1;
    const bool tied = k + 1 < order.size() && scores(order[k], j) == scores(order[k + 1], j);
    if (tied) continue;  // a bin has all rows of a score
    const double count = static_cast<double>(k + 1), share = without / count;
    // The last term keeps bins of few rows, which are easily pure by chance, from winning.
    const double bound = share - std::sqrt(caution * share * (1 - share) / count) - caution / count;
    if (bound > best_bound) best_bound = bound, best = share;
  }
  return std::max(best, without / static_cast<double>(order.size()));
}

}  // namespace

NoiseModel estimate_noise(const Matrix& scores, const LabelMatrix& candidates) {
  const double rows = static_cast<double>(candidates.rows());
  const std::vector<std::size_t> counts = candidates.label_counts();
  std::vector<std::size_t> order(candidates.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  NoiseModel noise;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const double frequency = static_cast<double>(counts[j]) / rows;
    // A label that every row has may as well be right everywhere: nothing tells.
    const double rate =
        frequency == 1 ? 0 : std::min(1 - best_share(scores, candidates, j, order), kLargestRate);
    const double prior = std::max((frequency - rate) / (1 - rate), 1 / rows);
    noise.rate.push_back(static_cast<float>(rate));
    noise.prior.push_back(static_cast<float>(prior));
  }
  return noise;
}

}  // namespace sieve
