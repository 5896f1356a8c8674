#include "review/cells.h"

#include <algorithm>

#include "crowd/log_odds.h"

namespace sieve {

ReviewCells::ReviewCells(std::vector<ReviewCell> cells, std::size_t rows)
    : cells_(std::move(cells)), first_(rows + 1, 0) {
  std::ranges::sort(cells_, {}, &ReviewCell::at);
  for (const ReviewCell& cell : cells_) ++first_[cell.at.row + 1];
  for (std::size_t row = 0; row < rows; ++row) first_[row + 1] += first_[row];
}

std::size_t ReviewCells::find(Cell at) const {
  if (at.row + std::size_t{1} >= first_.size()) return npos;
  for (std::size_t cell = first_[at.row]; cell < first_[at.row + 1]; ++cell)
    if (cells_[cell].at == at) return cell;
  return npos;
}

ReviewCells cells_of(const CandidateScores& probabilities, const LabelMatrix& candidates,
                     std::span<const CellProbability> missing) {
  const auto odds = [](float probability) {
    return static_cast<float>(log_odds_of(static_cast<double>(probability)));
  };
  std::vector<ReviewCell> cells;
  cells.reserve(candidates.count() + missing.size());
  for (std::size_t row = 0; row < candidates.rows(); ++row)
    candidates.for_each(row, [&](std::size_t label) {
      cells.push_back({{static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(label)},
                       true,
                       odds(probabilities(row, label))});
    });
  for (const CellProbability& one : missing)
    if (!candidates.get(one.row, one.label))
      cells.push_back({{static_cast<std::uint32_t>(one.row), static_cast<std::uint32_t>(one.label)},
                       false,
                       odds(one.probability)});
  return {std::move(cells), candidates.rows()};
}

ReviewCells cells_of(const Judged& judged) {
  return cells_of(judged.probabilities, judged.data.candidates,
                  judged.crowd ? std::span<const CellProbability>(judged.crowd->missing)
                               : std::span<const CellProbability>());
}

std::string row_name(const Dataset& data, std::size_t row) {
  return data.ids.empty() ? std::to_string(row) : data.ids[row];
}

}  // namespace sieve
