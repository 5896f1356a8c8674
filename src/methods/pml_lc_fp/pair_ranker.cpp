#include "methods/pml_lc_fp/pair_ranker.h"

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "linalg/entries.h"
#include "linalg/row_products.h"

namespace sieve {

struct PairRanker::Loss {
  double weighted = 0;  // sum u * hinge
  double duals = 0;     // sum a
};

PairRanker::PairRanker(const ScaledRows& rows, const CandidateLists& lists, double weight,
                       std::uint64_t seed)
    : rows_(rows),
      lists_(lists),
      weight_(weight),
      seed_(seed),
      along_shift_(lists.rows()),
      length_(lists.rows()),
      duals_(lists.all.size() * lists.labels),
      weights_(rows.x.cols(), padded_eight(lists.labels)),
      total_(weights_.cols()),
      seen_(weights_.cols()),
      score_(weights_.cols()),
      change_(weights_.cols()),
      confidence_(lists.labels) {
  for (const double value : rows.shift) shift_length_ += value * value;
  for (std::size_t i = 0; i < lists.rows(); ++i) {
    double square = 0;
    for_each_entry(rows.x, i, [&](std::size_t j, double value) {
      along_shift_[i] += value * rows.shift[j];
      square += value * value;
    });
    length_[i] = square + 2 * along_shift_[i] + shift_length_;
  }
}

double PairRanker::pass(const std::vector<double>& confidence) {
  std::vector<std::size_t> order(lists_.rows());
  std::iota(order.begin(), order.end(), 0U);
  Random(seed_, Purpose::Shuffle, passes_++).shuffle(std::span(order));
  Loss loss;
  for (const std::size_t i : order) {
    if (lists_.count(i) == 0) continue;
    scores(i, score_);
    std::ranges::fill(change_, 0.0);
    move_pairs(i, lists_.part(confidence, i), loss);
    add_outer(rows_.x, i, change_, weights_);
    for (std::size_t k = 0; k < total_.size(); ++k) {
      total_[k] += change_[k];
      seen_[k] += along_shift_[i] * change_[k];
    }
  }
  const double primal = squared_norm() + loss.weighted;
  return (primal - (loss.duals - squared_norm())) / std::max(primal, 1e-300);
}

// A step of a pair moves f_k up and f_l down by half of it times ||x||^2, so the pair is at its
// optimum after a step of (1 - f_k + f_l) / ||x||^2, unless it meets a bound first.
void PairRanker::move_pairs(std::size_t row, std::span<const double> confidence, Loss& loss) {
  const std::span<const std::uint32_t> candidates = lists_.of(row);
  const double scale = weight_ * lists_.pair_weight(row), half = length_[row] / 2;
  double* dual = duals_.data() + lists_.starts[row] * lists_.labels;
  std::ranges::fill(confidence_, 0.0);
  for (std::size_t c = 0; c < candidates.size(); ++c) confidence_[candidates[c]] = confidence[c];
  for (std::size_t c = 0; c < candidates.size(); ++c, dual += lists_.labels) {
    const std::size_t k = candidates[c];
    for (std::size_t l = 0; l < lists_.labels; ++l) {
      const double most = scale * std::max(0.0, confidence[c] - confidence_[l]);
      if (most == 0 && dual[l] == 0) continue;
      const double slack = 1 - score_[k] + score_[l];
      loss.weighted += most * std::max(0.0, slack);
      const double next = std::clamp(dual[l] + slack / length_[row], 0.0, most);
      const double step = next - dual[l];
      dual[l] = next;
      loss.duals += next;
      score_[k] += step * half, score_[l] -= step * half;
      change_[k] += step / 2, change_[l] -= step / 2;
    }
  }
}

void PairRanker::scores(std::size_t row, std::span<double> out) const {
  row_times(rows_.x, row, weights_, out);
  const double factor = along_shift_[row] + shift_length_;
  for (std::size_t k = 0; k < total_.size(); ++k) out[k] += factor * total_[k] + seen_[k];
}

double PairRanker::squared_norm() const {
  double sum = 0;
  for (std::size_t j = 0; j < weights_.rows(); ++j)
    for (const double value : weights_.row(j)) sum += value * value;
  for (std::size_t k = 0; k < total_.size(); ++k)
    sum += 2 * seen_[k] * total_[k] + shift_length_ * total_[k] * total_[k];
  return sum;
}

double PairRanker::dual_objective() const {
  return std::accumulate(duals_.begin(), duals_.end(), 0.0) - squared_norm();
}

MatrixD PairRanker::weights() const {
  MatrixD out(weights_.rows(), lists_.labels);
  for (std::size_t j = 0; j < out.rows(); ++j)
    for (std::size_t k = 0; k < out.cols(); ++k)
      out(j, k) = weights_(j, k) + rows_.shift[j] * total_[k];
  return out;
}

std::vector<double> PairRanker::bias() const {
  return {total_.begin(), total_.begin() + static_cast<std::ptrdiff_t>(lists_.labels)};
}

std::span<const double> PairRanker::duals(std::size_t row) const {
  return {duals_.data() + lists_.starts[row] * lists_.labels, lists_.count(row) * lists_.labels};
}

}  // namespace sieve
