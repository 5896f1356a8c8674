#include "crowd/coins.h"

#include <algorithm>
#include <cmath>

#include "crowd/log_odds.h"
#include "crowd/strength.h"

namespace sieve {
namespace {

// Counted beforehand: right labels ticked and not, others left alone and ticked.
constexpr double kFound = 2, kOverlooked = 1, kLeftAlone = 4, kWronglyTicked = 0.5;
constexpr double kSlopePrecision = 1 / (1.5 * 1.5);
constexpr double kSteady = 1e-6;

}  // namespace

struct CoinsModel::Sums {
  MatrixD chances, ticks;  // annotators x labels, where the label is right
  std::vector<double> right;
  // Newton's step for the prior: by offset and slope.
  std::vector<double> score_a, score_c, aa, ac, cc;

  Sums(std::size_t annotators = 0, std::size_t labels = 0)
      : chances(annotators, labels),
        ticks(annotators, labels),
        right(labels),
        score_a(labels),
        score_c(labels),
        aa(labels),
        ac(labels),
        cc(labels) {}
  void add(const Sums& other) {
    for (std::size_t a = 0; a < chances.rows(); ++a)
      for (std::size_t l = 0; l < chances.cols(); ++l) {
        chances(a, l) += other.chances(a, l);
        ticks(a, l) += other.ticks(a, l);
      }
    for (std::size_t l = 0; l < right.size(); ++l) {
      right[l] += other.right[l];
      score_a[l] += other.score_a[l];
      score_c[l] += other.score_c[l];
      aa[l] += other.aa[l];
      ac[l] += other.ac[l];
      cc[l] += other.cc[l];
    }
  }
};

CoinsModel::CoinsModel(const MemberInput& input, std::size_t rounds, ThreadPool& pool)
    : annotators_(input.votes->annotators().size()),
      labels_(input.labels),
      annotations_(annotators_),
      ticks_(annotators_, labels_),
      unsure_(input.votes->unsure() > 0 ? annotators_ : 0, labels_),
      sensitivity_(annotators_, labels_),
      false_positive_rate_(annotators_, labels_),
      if_ticked_(annotators_, labels_),
      if_passed_(annotators_, labels_),
      offset_(labels_),
      slope_(labels_) {
  const Votes& votes = *input.votes;
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation) {
    const double weight = double{input.weight(annotation)};
    annotations_[votes.annotator(annotation)] += weight;
    for (const std::uint32_t l : votes.ticked(annotation))
      ticks_(votes.annotator(annotation), l) += weight;
    for (const std::uint32_t l : votes.unsure(annotation))
      unsure_(votes.annotator(annotation), l) += weight;
  }
  for (std::size_t row = 0; row < votes.rows(); ++row) rows_ += votes.annotations(row) > 0 ? 1 : 0;
  Sums sums = expect(input, true, pool);
  for (std::size_t l = 0; l < labels_; ++l)
    offset_[l] = log_odds_of((sums.right[l] + 1) / (rows_ + 2));
  maximise(input, sums);
  for (std::size_t round = 0; round < rounds; ++round) {
    Sums next = expect(input, false, pool);
    double change = 0;
    for (std::size_t l = 0; l < labels_; ++l)
      change = std::max(change, std::abs(next.right[l] - sums.right[l]));
    sums = std::move(next);
    maximise(input, sums);
    if (change < kSteady * std::max(rows_, 1.0)) break;
  }
}

void CoinsModel::log_odds(const MemberInput& input, std::size_t row, std::span<float> into) const {
  const Votes& votes = *input.votes;
  for (std::size_t l = 0; l < labels_; ++l) into[l] = static_cast<float>(offset_[l]);
  if (input.covariate != nullptr)
    for (std::size_t l = 0; l < labels_; ++l)
      into[l] += static_cast<float>(slope_[l]) * (*input.covariate)(row, l);
  for (std::size_t annotation = votes.first_annotation(row);
       annotation < votes.first_annotation(row + 1); ++annotation) {
    const float weight = input.weight(annotation);
    const float* passed = if_passed_.row(votes.annotator(annotation)).data();
    const float* ticked = if_ticked_.row(votes.annotator(annotation)).data();
    for (std::size_t l = 0; l < labels_; ++l) into[l] += weight * passed[l];
    for (const std::uint32_t l : votes.ticked(annotation))
      into[l] += weight * (ticked[l] - passed[l]);
    for (const std::uint32_t l : votes.unsure(annotation)) into[l] -= weight * passed[l];
  }
}

CoinsModel::Sums CoinsModel::expect(const MemberInput& input, bool by_shares,
                                    ThreadPool& pool) const {
  const Votes& votes = *input.votes;
  const Parts parts(votes.rows(), annotators_ * labels_ * 2 * sizeof(double));
  std::vector<Sums> partial(parts.count);
  pool.for_each(parts.count, [&](std::size_t part) {
    Sums sums(annotators_, labels_);
    std::vector<float> q(labels_);
    for (std::size_t row = parts.first(part); row < parts.first(part + 1); ++row) {
      if (votes.annotations(row) == 0) continue;
      if (by_shares) {
        std::ranges::fill(q, 0.0F);
        for (std::size_t annotation = votes.first_annotation(row);
             annotation < votes.first_annotation(row + 1); ++annotation)
          for (const std::uint32_t l : votes.ticked(annotation)) q[l] += 1;
        for (std::size_t l = 0; l < labels_; ++l) {
          const auto said = static_cast<float>(votes.votes_on(row, l));
          q[l] = std::clamp(q[l] / std::max(said, 1.0F), 0.05F, 0.95F);
        }
      } else {
        log_odds(input, row, q);
        for (float& one : q) one = 1 / (1 + std::exp(-one));
      }
      for (std::size_t l = 0; l < labels_; ++l) sums.right[l] += double{q[l]};
      if (input.covariate != nullptr && !by_shares)
        for (std::size_t l = 0; l < labels_; ++l) {
          const double x = double{(*input.covariate)(row, l)};
          const double p = probability_of(offset_[l] + slope_[l] * x), room = p * (1 - p);
          const double off = double{q[l]} - p;
          sums.score_a[l] += off;
          sums.score_c[l] += off * x;
          sums.aa[l] += room;
          sums.ac[l] += room * x;
          sums.cc[l] += room * x * x;
        }
      for (std::size_t annotation = votes.first_annotation(row);
           annotation < votes.first_annotation(row + 1); ++annotation) {
        const double weight = double{input.weight(annotation)};
        double* chances = sums.chances.row(votes.annotator(annotation)).data();
        for (std::size_t l = 0; l < labels_; ++l) chances[l] += weight * double{q[l]};
        double* ticks = sums.ticks.row(votes.annotator(annotation)).data();
        for (const std::uint32_t l : votes.ticked(annotation)) ticks[l] += weight * double{q[l]};
        for (const std::uint32_t l : votes.unsure(annotation)) chances[l] -= weight * double{q[l]};
      }
    }
    partial[part] = std::move(sums);
  });
  for (std::size_t part = 1; part < parts.count; ++part) partial[0].add(partial[part]);
  return std::move(partial[0]);
}

void CoinsModel::maximise(const MemberInput& input, const Sums& sums) {
  for (std::size_t a = 0; a < annotators_; ++a)
    for (std::size_t l = 0; l < labels_; ++l) {
      const double right = std::max(0.0, sums.chances(a, l)), found = sums.ticks(a, l);
      const double votes = annotations_[a] - (unsure_.rows() > 0 ? unsure_(a, l) : 0);
      const double wrong = std::max(0.0, votes - right);
      const double ticked = std::clamp(ticks_(a, l) - found, 0.0, wrong);
      const double s = (found + kFound) / (right + kFound + kOverlooked);
      const double f = (ticked + kWronglyTicked) / (wrong + kLeftAlone + kWronglyTicked);
      sensitivity_(a, l) = s;
      false_positive_rate_(a, l) = f;
      if_ticked_(a, l) = static_cast<float>(std::log(s / f));
      if_passed_(a, l) = static_cast<float>(std::log((1 - s) / (1 - f)));
    }
  for (std::size_t l = 0; l < labels_; ++l) {
    if (input.covariate == nullptr) {
      offset_[l] = log_odds_of((sums.right[l] + 1) / (rows_ + 2));
      continue;
    }
    const double aa = sums.aa[l] + 1e-6, ac = sums.ac[l], cc = sums.cc[l] + kSlopePrecision;
    const double score_c = sums.score_c[l] - kSlopePrecision * slope_[l];
    const double det = aa * cc - ac * ac;
    offset_[l] += std::clamp((cc * sums.score_a[l] - ac * score_c) / det, -1.0, 1.0);
    slope_[l] += std::clamp((aa * score_c - ac * sums.score_a[l]) / det, -1.0, 1.0);
  }
}

}  // namespace sieve
