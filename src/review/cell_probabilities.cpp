#include "review/cell_probabilities.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace sieve {
namespace {

// What a row of short text costs.
constexpr double kSecondsToRead = 10, kSecondsPerLabel = 1;

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

// What a second is expected to change in each row, by the labels that are open, or by all of a row
// in which none is: it stays among those before and after it.
std::vector<double> gains_per_second(const ReviewCells& cells, std::span<const DecidedCell> decided,
                                     std::span<const float> right) {
  std::vector<bool> is_decided(cells.size(), false);
  for (const DecidedCell& one : decided) is_decided[one.cell] = one.outcome.decided();
  std::vector<double> gains(cells.rows(), 0);
  for (std::size_t row = 0; row < cells.rows(); ++row) {
    const std::size_t end = cells.first(row + 1);
    bool any_open = false;
    for (std::size_t i = cells.first(row); i < end; ++i) any_open = any_open || !is_decided[i];
    double seconds = kSecondsToRead;
    for (std::size_t i = cells.first(row); i < end; ++i) {
      if (any_open && is_decided[i]) continue;
      gains[row] += gain_of(double{right[i]});
      seconds += is_sure(right[i]) ? 0 : kSecondsPerLabel;
    }
    gains[row] /= seconds;
  }
  return gains;
}

// Row by row; within a row, what a decision is expected to change most.
std::vector<std::uint32_t> order_of_rows(const ReviewCells& cells,
                                         std::span<const DecidedCell> decided,
                                         std::span<const float> right) {
  const std::vector<double> gains = gains_per_second(cells, decided, right);
  return sorted_by(cells.size(), [&](std::size_t i) {
    const std::uint32_t row = cells[i].at.row;
    return std::tuple(-gains[row], row, -gain_of(double{right[i]}));
  });
}

void put_in_order(const ReviewCells& cells, std::span<const DecidedCell> decided,
                  std::span<const float> annotator_rank, CellProbabilities& into) {
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
  orders[static_cast<std::size_t>(Order::Row)] = order_of_rows(cells, decided, into.right);
}

}  // namespace

std::vector<float> learn_right(const ReviewCells& cells, std::size_t labels,
                               std::span<const DecidedCell> decided, Trust trust) {
  return probabilities_by(cells, fit_label_lines(cells, labels, decided, trust));
}

CellProbabilities learn(const ReviewCells& cells, std::size_t labels,
                        std::span<const DecidedCell> decided, Trust trust,
                        std::span<const float> annotator_rank) {
  CellProbabilities out;
  out.right = learn_right(cells, labels, decided, trust);
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
  put_in_order(cells, decided, annotator_rank, out);
  return out;
}

}  // namespace sieve
