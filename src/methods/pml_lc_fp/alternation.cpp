#include "methods/pml_lc_fp/alternation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "linalg/entries.h"
#include "linalg/products.h"

namespace sieve {
namespace {

constexpr std::size_t kMostRounds = 10;
constexpr double kLeastChange = 1e-6;
constexpr double kShortestStep = 1e-3;

}  // namespace

MatrixD label_similarity(const CandidateLists& lists) {
  MatrixD shared(lists.labels, lists.labels), out(lists.labels, lists.labels);
  for (std::size_t i = 0; i < lists.rows(); ++i)
    for (const std::size_t k : lists.of(i))
      for (const std::size_t l : lists.of(i)) shared(k, l) += 1;
  for (std::size_t k = 0; k < lists.labels; ++k)
    for (std::size_t l = 0; l < lists.labels; ++l)
      if (k != l && shared(k, l) > 0)
        out(k, l) = shared(k, l) / (shared(k, k) + shared(l, l) - shared(k, l));
  return out;
}

ConfidenceStep::Change ConfidenceStep::improve(std::size_t row, std::span<const double> scores,
                                               std::span<double> confidence) {
  set_losses(row, scores);
  double value = objective(row, confidence);
  const double before = value;
  const std::size_t rounds = terms_.correlation > 0 ? kMostRounds : 1;
  for (std::size_t round = 0; round < rounds; ++round)
    if (!descend(row, value, confidence)) break;
  return {before, value};
}

void ConfidenceStep::set_losses(std::size_t row, std::span<const double> scores) {
  const std::span<const std::uint32_t> candidates = lists_.of(row);
  const double weight = terms_.weight * lists_.pair_weight(row);
  losses_.resize(candidates.size());
  inside_.assign(lists_.labels, 0);
  for (const std::size_t k : candidates) inside_[k] = 1;
  const auto loss = [&](std::size_t k, std::size_t l) {
    return weight * std::max(0.0, 1 - scores[k] + scores[l]);
  };
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (!terms_.charge.empty()) losses_.cost[c] = lists_.part(terms_.charge, row)[c];
    for (std::size_t l = 0; l < lists_.labels; ++l)
      if (inside_[l] == 0) losses_.cost[c] += loss(candidates[c], l);
    for (std::size_t e = 0; e < candidates.size(); ++e)
      if (e != c) losses_.pair(c, e) = loss(candidates[c], candidates[e]);
  }
}

// sum_l similarity_kl P_l for the k-th candidate.
double ConfidenceStep::similarity(std::size_t row, std::size_t k,
                                  std::span<const double> confidence) const {
  const std::span<const std::uint32_t> candidates = lists_.of(row);
  double sum = 0;
  for (std::size_t l = 0; l < candidates.size(); ++l)
    sum += terms_.similarity(candidates[k], candidates[l]) * confidence[l];
  return sum;
}

double ConfidenceStep::objective(std::size_t row, std::span<const double> confidence) const {
  double value = losses_.of(confidence);
  if (terms_.correlation == 0) return value;
  for (std::size_t k = 0; k < confidence.size(); ++k)
    value -= terms_.correlation * confidence[k] * similarity(row, k, confidence);
  return value;
}

// One step towards the best confidences of the problem linearised here: half as far until the
// objective falls. False when nothing worth it is left.
bool ConfidenceStep::descend(std::size_t row, double& value, std::span<double> confidence) {
  linear_ = losses_;
  if (terms_.correlation > 0)
    for (std::size_t k = 0; k < confidence.size(); ++k)
      linear_.cost[k] -= 2 * terms_.correlation * similarity(row, k, confidence);
  target_.resize(confidence.size());
  trial_.resize(confidence.size());
  rule_.solve(linear_, target_);
  for (double step = 1; step >= kShortestStep; step /= 2) {
    for (std::size_t k = 0; k < confidence.size(); ++k)
      trial_[k] = confidence[k] + step * (target_[k] - confidence[k]);
    const double there = objective(row, trial_);
    if (there >= value) continue;
    const bool worth = value - there > kLeastChange;
    value = there;
    std::ranges::copy(trial_, confidence.begin());
    return worth;
  }
  return false;
}

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

namespace {

constexpr std::size_t kRowsAtOnce = 64;

struct Objective {
  double before = 0, after = 0;  // of the P-step
};

// The P-step of all rows. Sums are taken in the order of the rows.
Objective improve_confidence(const PairRanker& ranker, const CandidateLists& lists,
                             const ConfidenceTerms& terms, std::vector<double>& confidence,
                             ThreadPool& pool) {
  std::vector<ConfidenceStep::Change> changes(lists.rows());
  pool.for_blocks(lists.rows(), kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    ConfidenceStep step(lists, terms);
    std::vector<double> scores(ranker.padded_labels());
    for (std::size_t i = first; i < last; ++i) {
      if (lists.count(i) == 0) continue;
      ranker.scores(i, scores);
      changes[i] = step.improve(i, scores, lists.part(confidence, i));
    }
  });
  Objective sum{ranker.squared_norm(), ranker.squared_norm()};
  for (const ConfidenceStep::Change& change : changes)
    sum.before += change.before, sum.after += change.after;
  return sum;
}

}  // namespace

AlternationResult alternate(const ScaledRows& rows, const CandidateLists& lists,
                            const ConfidenceTerms& terms, const AlternationSettings& settings,
                            FitRun& run) {
  PairRanker ranker(rows, lists, terms.weight, settings.seed);
  AlternationResult out;
  std::vector<double> confidence(lists.all.size(), 1.0);
  run.begin("training", settings.rounds * settings.passes);
  for (std::size_t round = 0; round < settings.rounds; ++round) {
    for (std::size_t pass = 0; pass < settings.passes; ++pass) {
      const double gap = ranker.pass(confidence);
      ++out.passes;
      run.update(round * settings.passes + pass + 1,
                 fmt::format("round {}  duality gap {:.4f}", round + 1, gap));
      if (gap <= settings.gap) break;
    }
    const Objective now = improve_confidence(ranker, lists, terms, confidence, run.pool());
    // A W-step that ends early may leave weights worse than those it began with: keep the old ones.
    if (!out.objective.empty() && now.before > out.objective.back()) break;
    const double last = out.objective.empty() ? INFINITY : out.objective.back();
    out.weights = ranker.weights();
    out.bias = ranker.bias();
    out.confidence = confidence;
    out.objective.insert(out.objective.end(), {now.before, now.after});
    if (last - now.after <= settings.tolerance * std::max(std::abs(now.after), 1.0)) break;
  }
  run.end();
  return out;
}

}  // namespace sieve
