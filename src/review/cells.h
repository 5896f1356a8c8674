#pragma once

#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/crowd.h"
#include "labelsieve/dataset.h"
#include "labelsieve/labels.h"
#include "labelsieve/pipeline.h"

namespace sieve {

// A label of a row: what a reviewer decides on.
struct Cell {
  std::uint32_t row = 0, label = 0;
  friend auto operator<=>(const Cell&, const Cell&) = default;
};

// A cell worth a look: a tick that may be wrong, or a label that may be missing.
struct ReviewCell {
  Cell at;
  bool ticked = false;
  float odds = 0;  // log-odds that the label is right, before any decision
};

// The cells of a review by row, then by label.
class ReviewCells {
 public:
  static constexpr std::size_t npos = std::numeric_limits<std::size_t>::max();

  ReviewCells() = default;
  // In any order, no two the same.
  ReviewCells(std::vector<ReviewCell> cells, std::size_t rows);

  std::size_t size() const { return cells_.size(); }
  std::size_t rows() const { return first_.size() - 1; }
  const ReviewCell& operator[](std::size_t cell) const { return cells_[cell]; }
  // Those of a row are the ones from first(row) up to, but without, first(row + 1).
  std::size_t first(std::size_t row) const { return first_[row]; }
  std::size_t find(Cell at) const;  // npos if it is not among them

 private:
  std::vector<ReviewCell> cells_;
  std::vector<std::size_t> first_{0};
};

// Every candidate with the confidence in it, and labels that are likely missing.
ReviewCells cells_of(const CandidateScores& probabilities, const LabelMatrix& candidates,
                     std::span<const CellProbability> missing);

ReviewCells cells_of(const Judged& judged);

// How a row is called: by its id, or by its number where there are no ids.
std::string row_name(const Dataset& data, std::size_t row);

}  // namespace sieve
