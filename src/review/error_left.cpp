#include "review/error_left.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "crowd/log_odds.h"

namespace sieve {
namespace {

// What is known of a cell beforehand never outweighs two reviewers.
constexpr double kFarthestBeforehand = 4.6;

double right_after(double before, const Outcome& outcome) {
  if (outcome.looked == 0) return before;
  const double vote = log_odds_of(kReviewerIsRight);
  const auto yes = static_cast<double>(outcome.yes), all = static_cast<double>(outcome.looked);
  const double odds = std::clamp(log_odds_of(before), -kFarthestBeforehand, kFarthestBeforehand);
  return probability_of(odds + vote * (2 * yes - all));
}

// Sums over the labels that are on.
struct Tally {
  explicit Tally(std::size_t labels) : by_label(labels, 0) {}
  double wrong = 0, chance = 0;  // expected number and its variance, if cells are independent
  std::vector<double> by_label;  // how the number changes with the offset of a label
  std::size_t on = 0;

  void add(std::size_t label, double p_wrong) {
    const double spread = p_wrong * (1 - p_wrong);
    ++on;
    wrong += p_wrong;
    chance += spread;
    by_label[label] += spread;
  }
  Estimate estimate(const std::vector<double>& doubt) const {
    double variance = chance;
    for (std::size_t l = 0; l < doubt.size(); ++l) variance += by_label[l] * by_label[l] * doubt[l];
    const double around = kNineTenths * std::sqrt(variance);
    return {wrong, std::max(0.0, wrong - around),
            std::min(static_cast<double>(on), wrong + around)};
  }
};

// Pending ticks in the order of their suspicion are decided one by one.
std::vector<ErrorLeft::Point> look_ahead(std::vector<double> pending, double wrong, double on) {
  std::ranges::sort(pending, std::greater<>());
  std::vector<ErrorLeft::Point> points = {{0, on > 0 ? wrong / on : 0}};
  std::size_t next = 1;
  for (std::size_t k = 0; k < pending.size(); ++k) {
    const double removed = kReviewerIsRight * pending[k];
    wrong -= removed;
    on -= removed + (1 - kReviewerIsRight) * (1 - pending[k]);
    const std::size_t done = k + 1;
    if (done != next && done != pending.size()) continue;
    points.push_back({done, on > 0 ? std::max(0.0, wrong) / on : 0});
    next = done + std::max<std::size_t>(1, done / 8);
  }
  return points;
}

}  // namespace

// The upper end of the estimate has to be there: half of the estimates themselves are too low.
std::size_t ErrorLeft::until(double at_most) const {
  const double above = share.value > 0 ? share.high / share.value : 1;
  for (const Point& point : ahead)
    if (point.share * above <= at_most) return point.decisions;
  return npos;
}

ErrorLeft error_left(const ReviewCells& cells, const CellProbabilities& probabilities,
                     std::span<const DecidedCell> decided) {
  std::vector<Outcome> outcomes(cells.size());
  for (const DecidedCell& one : decided) outcomes[one.cell] = one.outcome;
  Tally tally(probabilities.doubt.size());
  ErrorLeft out;
  std::vector<double> pending;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const ReviewCell& cell = cells[i];
    const Outcome& outcome = outcomes[i];
    const double right = right_after(static_cast<double>(probabilities.right[i]), outcome);
    if (outcome.decided() ? outcome.on : cell.ticked) {
      tally.add(cell.at.label, 1 - right);
      if (!outcome.decided()) pending.push_back(1 - right);
    } else {
      out.missing += right;
    }
  }
  out.labels_on = tally.on;
  out.wrong = tally.estimate(probabilities.doubt);
  const double on = std::max(1.0, static_cast<double>(tally.on));
  out.share = {out.wrong.value / on, out.wrong.low / on, out.wrong.high / on};
  out.ahead = look_ahead(std::move(pending), tally.wrong, static_cast<double>(tally.on));
  return out;
}

}  // namespace sieve
