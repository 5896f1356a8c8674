#include "observation/held_out.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "observation/bernoulli_fit.h"
#include "observation/evidence.h"
#include "observation/log_odds.h"
#include "observation/scores.h"

namespace sieve {
namespace {

constexpr std::size_t kMostLooks = 60'000;
constexpr std::size_t kMostCells = 1'500'000;
constexpr std::size_t kMostOthers = 24;
// How sure we are beforehand that votes count for somewhat less than witnesses of their own, that a
// score is what it says, and that other labels say nothing; in units of answers.
constexpr double kVotes = 0.7, kSureOfVotes = 10, kSureOfScore = 10, kSureOfOthers = 30;
constexpr double kLeastVotes = 0.02, kMostEvidence = 30;

}  // namespace

HeldOutLooks::HeldOutLooks(const CrowdView& view) : view_(view) {
  const Votes& votes = *view.votes;
  const std::size_t most =
      std::min(kMostLooks, kMostCells / std::max<std::size_t>(view.labels, 1) + 1);
  const std::size_t stride = votes.looks() / most + 1;
  std::size_t seen = 0;
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    if (votes.looks(row) == 0 || seen++ % stride != 0) continue;
    for (std::size_t look = votes.first_look(row); look < votes.first_look(row + 1); ++look)
      looks_.push_back({row, look, rows_.size()});
    rows_.push_back(row);
  }
  ticked_ = LabelMatrix(looks_.size(), view.labels);
  ticks_ = Matrix(rows_.size(), view.labels);
  for (std::size_t k = 0; k < looks_.size(); ++k)
    for (const std::uint32_t l : votes.ticked(looks_[k].look)) {
      ticked_.set(k, l);
      ticks_(looks_[k].sampled_row, l) += 1;
    }
  if (!looks_.empty())
    looks_per_row_ = static_cast<double>(looks_.size()) / static_cast<double>(rows_.size());
  measure_shares();
}

void HeldOutLooks::measure_shares() {
  const auto count = static_cast<double>(rows_.size());
  for (std::size_t l = 0; l < view_.labels; ++l) {
    double ticks = 0, sum = 0, squares = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) ticks += ticks_(r, l);
    const double rate = ticks / std::max<double>(1, static_cast<double>(looks_.size()));
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const double share =
          drawn_share(ticks_(r, l), static_cast<double>(view_.votes->looks(rows_[r])), rate);
      sum += share;
      squares += share * share;
    }
    const double mean = rows_.empty() ? 0 : sum / count;
    const double variance = rows_.empty() ? 0 : squares / count - mean * mean;
    tick_rate_.push_back(rate);
    share_mean_.push_back(mean);
    share_spread_.push_back(std::sqrt(std::max(variance, 1e-8)));
  }
}

Matrix HeldOutLooks::evidence_of_others(const Tables& tables, ThreadPool& pool) const {
  Matrix out(looks_.size(), view_.labels);
  pool.for_blocks(looks_.size(), 1024, [&](std::size_t first, std::size_t last) {
    std::vector<float> all(view_.labels);
    std::size_t summed = view_.rows();
    for (std::size_t k = first; k < last; ++k) {
      const Look& at = looks_[k];
      if (at.row != summed)
        sum_evidence(*view_.votes, at.row, tables.if_ticked, tables.if_passed, all);
      summed = at.row;
      const std::size_t person = view_.votes->person(at.look);
      for (std::size_t l = 0; l < view_.labels; ++l) {
        const float own =
            ticked_.get(k, l) ? tables.if_ticked(person, l) : tables.if_passed(person, l);
        out(k, l) =
            static_cast<float>(std::clamp<double>(all[l] - own, -kMostEvidence, kMostEvidence));
      }
    }
  });
  return out;
}

// The labels whose ticks go along with this one's the most, or the least.
std::vector<std::uint32_t> HeldOutLooks::telling_labels(std::size_t label) const {
  std::vector<double> together(view_.labels);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const double looks = static_cast<double>(view_.votes->looks(rows_[r]));
    const double mine =
        drawn_share(ticks_(r, label), looks, tick_rate_[label]) - share_mean_[label];
    for (std::size_t m = 0; m < view_.labels; ++m)
      together[m] += mine * (drawn_share(ticks_(r, m), looks, tick_rate_[m]) - share_mean_[m]);
  }
  std::vector<std::uint32_t> others;
  for (std::size_t m = 0; m < view_.labels; ++m)
    if (m != label && tick_rate_[m] > 0) others.push_back(static_cast<std::uint32_t>(m));
  const auto strength = [&](std::uint32_t m) { return std::abs(together[m]) / share_spread_[m]; };
  if (others.size() > kMostOthers) {
    std::ranges::stable_sort(others, [&](auto a, auto b) { return strength(a) > strength(b); });
    others.resize(kMostOthers);
    std::ranges::sort(others);
  }
  return others;
}

// What the weights of a label are learnt from: a row of inputs for each look, in the order offset,
// votes, score (if there are any), other labels; and the rates of the look's person.
struct HeldOutLooks::Problem {
  std::vector<std::uint32_t> others;
  NormalPrior prior{{0, kVotes}, {1e-3, kSureOfVotes}};
  std::vector<double> start, inputs, sensitivity, false_ticks;

  void add(double centre, double precision, double from) {
    prior.centre.push_back(centre);
    prior.precision.push_back(precision);
    start.push_back(from);
  }
};

HeldOutLooks::Problem HeldOutLooks::pose(const Tables& tables, const Matrix& evidence,
                                         bool other_labels, std::size_t label,
                                         const LabelWeights& before) const {
  const Votes& votes = *view_.votes;
  Problem out;
  if (other_labels) out.others = telling_labels(label);
  out.start = {before.offset, before.votes};
  if (view_.scores != nullptr) out.add(1, kSureOfScore, before.score);
  for (std::size_t j = 0; j < out.others.size(); ++j) out.add(0, kSureOfOthers, 0);
  out.inputs.reserve(looks_.size() * out.start.size());
  for (std::size_t k = 0; k < looks_.size(); ++k) {
    const Look& at = looks_[k];
    out.inputs.push_back(1);
    out.inputs.push_back(static_cast<double>(evidence(k, label)));
    if (view_.scores != nullptr)
      out.inputs.push_back(static_cast<double>(score_log_odds((*view_.scores)(at.row, label))));
    const double looks = static_cast<double>(votes.looks(at.row)) - 1;
    for (const std::uint32_t m : out.others) {
      const double ticks = static_cast<double>(ticks_(at.sampled_row, m)) - ticked_.get(k, m);
      out.inputs.push_back((drawn_share(ticks, looks, tick_rate_[m]) - share_mean_[m]) /
                           share_spread_[m]);
    }
    out.sensitivity.push_back(tables.sensitivity(votes.person(at.look), label));
    out.false_ticks.push_back(tables.false_ticks(votes.person(at.look), label));
  }
  return out;
}

void HeldOutLooks::learn_label(const Tables& tables, const Matrix& evidence, bool other_labels,
                               std::size_t label, LabelWeights& weights) const {
  const Problem problem = pose(tables, evidence, other_labels, label, weights);
  const auto mean = [&](std::size_t k, std::span<const double> w, std::span<double> slope) {
    const double* in = problem.inputs.data() + k * w.size();
    const double right =
        kept_inside(probability_of(std::inner_product(w.begin(), w.end(), in, 0.0)));
    const double gain = problem.sensitivity[k] - problem.false_ticks[k];
    for (std::size_t j = 0; j < w.size(); ++j) slope[j] = gain * right * (1 - right) * in[j];
    return BernoulliCase{kept_inside(problem.false_ticks[k] + gain * right), ticked_.get(k, label)};
  };
  const BernoulliFit fit = fit_bernoulli(looks_.size(), mean, problem.prior, problem.start);
  const std::size_t others = fit.parameters.size() - problem.others.size();
  weights.offset = fit.parameters[0];
  weights.votes = std::max(fit.parameters[1], kLeastVotes);
  weights.score = view_.scores != nullptr ? fit.parameters[2] : 0;
  weights.labels = problem.others;
  weights.others.assign(fit.parameters.begin() + static_cast<std::ptrdiff_t>(others),
                        fit.parameters.end());
  weights.share_mean = share_mean_[label];
  weights.share_spread = share_spread_[label];
  weights.tick_rate = tick_rate_[label];
  // The votes of a row count as one answer here: how dependent they are is not known.
  weights.information = 1 / (fit.covariance[0] * looks_per_row_);
}

void HeldOutLooks::learn_weights(const Tables& tables, bool other_labels,
                                 std::vector<LabelWeights>& weights, ThreadPool& pool) const {
  const Matrix evidence = evidence_of_others(tables, pool);
  pool.for_each(view_.labels, [&](std::size_t label) {
    learn_label(tables, evidence, other_labels, label, weights[label]);
  });
}

}  // namespace sieve
