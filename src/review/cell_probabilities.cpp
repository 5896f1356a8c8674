#include "review/cell_probabilities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "crowd/bernoulli_fit.h"
#include "crowd/log_odds.h"

namespace sieve {
namespace {

// What a row of short text costs.
constexpr double kSecondsToRead = 10, kSecondsPerLabel = 1;

struct Answer {
  double odds;
  bool yes;
};

// Offset, and the logarithm of the temper.
BernoulliFit fit_line(std::span<const Answer> answers, const NormalPrior& prior) {
  const auto mean = [&](std::size_t item, std::span<const double> p, std::span<double> slope) {
    const double tempered = std::exp(p[1]) * answers[item].odds;
    const double seen = probability_of(p[0] + tempered);
    const double by_seen = (2 * kReviewerIsRight - 1) * seen * (1 - seen);
    slope[0] = by_seen;
    slope[1] = by_seen * tempered;
    return BernoulliCase{kept_inside(kReviewerIsRight * seen + (1 - kReviewerIsRight) * (1 - seen)),
                         answers[item].yes};
  };
  return fit_bernoulli(answers.size(), mean, prior, prior.centre);
}

std::vector<BernoulliFit> fit_labels(const ReviewCells& cells, std::size_t labels,
                                     std::span<const DecidedCell> decided, Trust trust) {
  std::vector<std::vector<Answer>> by_label(labels);
  std::vector<Answer> all;
  for (const DecidedCell& one : decided)
    for (std::size_t annotator = 0; annotator < one.outcome.looked; ++annotator) {
      const Answer answer{static_cast<double>(cells[one.cell].odds), annotator < one.outcome.yes};
      by_label[cells[one.cell].at.label].push_back(answer);
      all.push_back(answer);
    }
  const bool votes = trust == Trust::Votes;
  const NormalPrior any{{0, 0}, votes ? std::vector{4.0, 10.0} : std::vector{1.0, 4.0}};
  const BernoulliFit common = fit_line(all, any);
  const NormalPrior usual{common.parameters,
                          votes ? std::vector{10.0, 30.0} : std::vector{3.0, 10.0}};
  std::vector<BernoulliFit> fits;
  for (const auto& answers : by_label) {
    fits.push_back(fit_line(answers, usual));
    fits.back().covariance[0] += common.covariance[0];
  }
  return fits;
}

// By how much a reviewer's answer is expected to lower the chance of a wrong label, if labels are
// kept where they are more likely right than not.
double gain_of(double right) {
  constexpr double t = kReviewerIsRight;
  const auto risk = [](double p) { return std::min(p, 1 - p); };
  const double yes = t * right + (1 - t) * (1 - right);
  const double after = yes * risk(t * right / yes) + (1 - yes) * risk((1 - t) * right / (1 - yes));
  return risk(right) - after;
}

template <class Key>
std::vector<std::uint32_t> sorted_by(std::size_t count, Key&& key) {
  using Keyed = std::pair<decltype(key(std::size_t{0})), std::uint32_t>;
  std::vector<Keyed> keyed(count);
  for (std::size_t i = 0; i < count; ++i) keyed[i] = {key(i), static_cast<std::uint32_t>(i)};
  std::ranges::sort(keyed);
  std::vector<std::uint32_t> order(count);
  std::ranges::transform(keyed, order.begin(), &Keyed::second);
  return order;
}

void put_in_order(const ReviewCells& cells, std::span<const float> annotator_rank,
                  CellProbabilities& into) {
  const std::size_t n = cells.size();
  const auto trusted = [&](std::size_t i) { return static_cast<float>(-into.wrong(cells[i], i)); };
  auto& orders = into.orders;
  orders[static_cast<std::size_t>(Order::Suspicion)] = sorted_by(n, trusted);
  orders[static_cast<std::size_t>(Order::Gain)] =
      sorted_by(n, [&](std::size_t i) { return -gain_of(static_cast<double>(into.right[i])); });
  orders[static_cast<std::size_t>(Order::Label)] =
      sorted_by(n, [&](std::size_t i) { return std::pair(cells[i].at.label, trusted(i)); });
  orders[static_cast<std::size_t>(Order::Annotator)] =
      sorted_by(n, [&](std::size_t i) { return std::pair(annotator_rank[i], trusted(i)); });
  std::vector<double> gains(cells.rows(), 0), seconds(cells.rows(), kSecondsToRead);
  const auto gain = [&](std::size_t i) { return gain_of(static_cast<double>(into.right[i])); };
  for (std::size_t i = 0; i < n; ++i) {
    gains[cells[i].at.row] += gain(i);
    seconds[cells[i].at.row] += kSecondsPerLabel;
  }
  orders[static_cast<std::size_t>(Order::Row)] = sorted_by(n, [&](std::size_t i) {
    const std::uint32_t row = cells[i].at.row;
    return std::tuple(-gains[row] / seconds[row], row, -gain(i));
  });
}

// Of each cell, by the line of its label.
std::vector<float> by_lines(const ReviewCells& cells, const std::vector<BernoulliFit>& fits) {
  std::vector<float> right(cells.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto& line = fits[cells[i].at.label].parameters;
    right[i] = static_cast<float>(kept_inside(
        probability_of(line[0] + std::exp(line[1]) * static_cast<double>(cells[i].odds))));
  }
  return right;
}

}  // namespace

std::vector<float> learn_right(const ReviewCells& cells, std::size_t labels,
                               std::span<const DecidedCell> decided, Trust trust) {
  return by_lines(cells, fit_labels(cells, labels, decided, trust));
}

CellProbabilities learn(const ReviewCells& cells, std::size_t labels,
                        std::span<const DecidedCell> decided, Trust trust,
                        std::span<const float> annotator_rank) {
  const std::vector<BernoulliFit> fits = fit_labels(cells, labels, decided, trust);
  CellProbabilities out;
  for (const BernoulliFit& fit : fits) out.doubt.push_back(fit.covariance[0]);
  out.right = by_lines(cells, fits);
  std::vector<double> wrong(labels, 0), ticks(labels, 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const ReviewCell& cell = cells[i];
    if (!cell.ticked) continue;
    wrong[cell.at.label] += 1 - static_cast<double>(out.right[i]);
    ticks[cell.at.label] += 1;
  }
  for (std::size_t l = 0; l < labels; ++l)
    out.noise.push_back(ticks[l] > 0 ? wrong[l] / ticks[l]
                                     : std::numeric_limits<double>::quiet_NaN());
  put_in_order(cells, annotator_rank, out);
  return out;
}

}  // namespace sieve
