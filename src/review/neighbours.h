#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "labelsieve/dataset.h"
#include "review/cell_probabilities.h"
#include "review/cells.h"

namespace sieve {

// The rows most like `row`, the nearest first, at most `most`: among `first` and some rows of these
// cells, evenly spread. likeness(other) is larger for nearer ones.
template <class Likeness>
std::vector<std::size_t> nearest_rows(std::size_t row, std::span<const std::size_t> first,
                                      const ReviewCells& all, std::span<const std::uint32_t> cells,
                                      std::size_t most, Likeness&& likeness) {
  constexpr std::size_t kCompared = 600;
  std::vector<std::size_t> rows(first.begin(), first.end());
  const std::size_t some = std::min(cells.size(), kCompared);
  for (std::size_t k = 0; k < some; ++k) rows.push_back(all[cells[k * cells.size() / some]].at.row);
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::erase(rows, row);
  std::vector<std::pair<double, std::size_t>> near;
  for (const std::size_t other : rows) near.emplace_back(-likeness(other), other);
  const std::size_t kept = std::min(most, near.size());
  std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(kept));
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < kept; ++k) found.push_back(near[k].second);
  return found;
}

// A feature of a row that is unusual, and whether that speaks for the label (> 0) or against it.
struct TellingFeature {
  std::size_t feature = 0;
  float value = 0;
  double usual = 0;   // its mean over all rows
  double weight = 0;  // in standard deviations, times the difference that the label makes
};

// What the features say about a cell. Not shared between threads.
class FeatureLook {
 public:
  // Both have to stay.
  FeatureLook(const Features& features, const ReviewCells& cells, std::size_t labels);

  // The features of the row that speak most for or against the label, the strongest first.
  std::vector<TellingFeature> telling(std::size_t row, std::uint32_t label,
                                      const CellProbabilities& probabilities, std::size_t most);
  // The rows most like this one (by the cosine of standardised features), the nearest first: among
  // `first` and some rows that are about the label.
  std::vector<std::size_t> nearest(std::size_t row, std::uint32_t label,
                                   std::span<const std::size_t> first, std::size_t most);

 private:
  void standardised(std::size_t row, std::vector<float>& into);
  const std::vector<float>& means_with(std::uint32_t label, const CellProbabilities& probabilities);

  const Features& features_;
  const ReviewCells& cells_;
  RowRoom room_;
  std::vector<float> mean_, spread_;
  std::vector<std::vector<std::uint32_t>> cells_of_label_;
  std::vector<std::vector<float>> with_;  // of each label met so far: means of rows that have it
};

}  // namespace sieve
