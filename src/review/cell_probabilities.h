#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "labelsieve/crowd.h"
#include "review/cells.h"
#include "review/ledger.h"

// Probabilities of the cells that nobody has decided yet, learnt from the decisions of reviewers.
namespace sieve {

// How often a reviewer is taken to be right.
constexpr double kReviewerIsRight = 0.95;

// In which order cells are shown.
enum class Order {
  Suspicion,  // the ones most likely wrong first
  Gain,       // the ones first about which a decision is expected to change most
  Label,      // label by label, the most suspicious of each first
  Annotator,  // by the least reliable person who ticked it, then by suspicion
  Row,        // row by row, the ones first where a second is expected to change most
};
constexpr std::size_t kOrders = 5;

// How much the log-odds of a label's cells are worth: those that follow from votes are well
// calibrated beforehand, those of a predictor alone may be far off.
enum class Trust { Votes, Predictor };

// Whether nobody should bet on a cell of this probability.
constexpr bool is_doubtful(float right) {
  return right >= 0.1F && right <= 0.9F;
}

struct CellProbabilities {
  std::vector<float> right;   // of each cell: how likely the label is right, decisions aside
  std::vector<double> doubt;  // of each label: the variance of the offset of its log-odds
  std::vector<double> noise;  // of each label: the share of its ticks that are wrong; NaN: no ticks
  std::array<std::vector<std::uint32_t>, kOrders> orders;  // cells

  // How likely the cell is not what the data say.
  double wrong(const ReviewCell& cell, std::size_t number) const {
    const auto p = static_cast<double>(right[number]);
    return cell.ticked ? 1 - p : p;
  }
};

// Label by label an offset and a temper of the log-odds, learnt from what people decided; what all
// labels have in common is learnt from all. What was decided by a rule teaches nothing.
// `person_rank` has a number for each cell that sorts Order::Person. Costs a few sorts of all
// cells.
CellProbabilities learn(const ReviewCells& cells, std::size_t labels,
                        std::span<const DecidedCell> decided, Trust trust,
                        std::span<const float> annotator_rank);
// CellProbabilities::right alone, the same.
std::vector<float> learn_right(const ReviewCells& cells, std::size_t labels,
                               std::span<const DecidedCell> decided, Trust trust);

}  // namespace sieve
