#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/dataset.h"
#include "review/cell_probabilities.h"

namespace sieve {

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
