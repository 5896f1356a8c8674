#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "review/cell_probabilities.h"
#include "review/row_texts.h"

namespace sieve {

// A piece of a text, and how much it speaks for a label (> 0) or against it (< 0): words of a size
// below kLeastMark say nothing, a strong one has 2 and more. The pieces in order are the text.
struct MarkedPiece {
  std::string_view text;
  double weight = 0;
};
constexpr double kLeastMark = 0.7;

// `weight` has the weight of a word by its hash.
std::vector<MarkedPiece> marked_pieces(std::string_view text,
                                       const std::function<double(std::uint64_t)>& weight);

// Which words speak for a label where no model of texts can be asked: linear weights after naive
// Bayes, the logarithm of how much likelier a word is in rows with the label than in rows without
// it. The row at hand is always left out of the counts. Not shared between threads.
class WordWeights {
 public:
  // Both have to stay.
  WordWeights(const RowTexts& texts, const ReviewCells& cells);

  std::vector<MarkedPiece> marked(std::string_view text, std::size_t row, std::uint32_t label,
                                  const CellProbabilities& probabilities);
  // The rows with the most words in common, rare ones counting more, the nearest first: among
  // `first` and some rows that are about the label.
  std::vector<std::size_t> nearest(std::size_t row, std::uint32_t label,
                                   std::span<const std::size_t> first, std::size_t most) const;

 private:
  struct LabelCounts {
    std::vector<float> rows;  // expected rows with the label that have each word
    double all = 0;           // ... of all rows
  };
  const LabelCounts& counts_of(std::uint32_t label, const CellProbabilities& probabilities);
  double weight_of(std::uint32_t word, double in_row, const LabelCounts& counts) const;

  const RowTexts& texts_;
  const ReviewCells& cells_;
  std::unordered_map<std::uint64_t, std::uint32_t> words_;  // by hash
  std::vector<std::uint32_t> rows_with_;                    // of each word
  std::vector<std::vector<std::uint32_t>> in_row_;          // words of each row, none twice
  std::vector<std::vector<std::uint32_t>> cells_of_label_;
  std::unordered_map<std::uint32_t, LabelCounts> known_;
};

}  // namespace sieve
