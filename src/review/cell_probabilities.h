#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "labelsieve/crowd.h"
#include "review/cells.h"
#include "review/label_lines.h"
#include "review/ledger.h"

// Probabilities of the cells that nobody has decided yet, learnt from the decisions of reviewers.
namespace sieve {

// In which order cells are shown.
enum class Order {
  Suspicion,  // the ones most likely wrong first
  Gain,       // the ones first about which a decision is expected to change most
  Label,      // label by label, the most suspicious of each first
  Annotator,  // by the least reliable person who ticked it, then by suspicion
  Row,        // row by row, the ones first where a second is expected to change most
};
constexpr std::size_t kOrders = 5;

// Whether nobody should bet on a cell of this probability.
constexpr bool is_doubtful(float right) {
  return right >= 0.1F && right <= 0.9F;
}

// Whether nobody needs to look: a page folds such labels of a row.
constexpr bool is_sure(float right) {
  return right <= 0.01F || right >= 0.99F;
}

// Decisions after which it is worth learning anew: the first ones say most.
constexpr std::size_t learnt_anew_after(std::size_t decisions, std::size_t most) {
  return std::min(most, 1 + decisions / 20);
}

struct CellProbabilities {
  std::vector<float> right;   // of each cell: how likely the label is right, decisions aside
  std::vector<double> noise;  // of each label: the share of its ticks that are wrong; NaN: no ticks
  std::array<std::vector<std::uint32_t>, kOrders> orders;  // cells

  // How likely the cell is not what the data say.
  double wrong(const ReviewCell& cell, std::size_t number) const {
    const auto p = static_cast<double>(right[number]);
    return cell.ticked ? 1 - p : p;
  }
};

// `annotator_rank` has a number for each cell that sorts Order::Annotator. Costs a few sorts of all
// cells beside what fit_label_lines() does.
CellProbabilities learn(const ReviewCells& cells, std::size_t labels,
                        std::span<const DecidedCell> decided, Trust trust,
                        std::span<const float> annotator_rank);
// CellProbabilities::right alone, the same.
std::vector<float> learn_right(const ReviewCells& cells, std::size_t labels,
                               std::span<const DecidedCell> decided, Trust trust);

}  // namespace sieve
