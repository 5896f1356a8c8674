#include "review/word_weights.h"

#include <algorithm>
#include <cmath>

#include "data/recipe/text_terms.h"
#include "review/media.h"
#include "review/neighbours.h"

namespace sieve {
namespace {

constexpr double kDrawn = 4;             // rows that a word is taken to be in as often as anywhere
constexpr std::size_t kMostKnown = 512;  // labels whose counts are kept

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') ||
         ((byte | 0x20U) >= 'a' && (byte | 0x20U) <= 'z');
}

// Calls visit(piece, hash) for words, and visit(piece, 0) for what is between them.
template <class Visit>
void for_each_piece(std::string_view text, TermFinder& finder, Visit&& visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const bool word = is_word_byte(text[begin]);
    std::size_t end = begin + 1;
    while (end < text.size() && is_word_byte(text[end]) == word) ++end;
    const std::string_view piece = text.substr(begin, end - begin);
    std::uint64_t hash = 0;
    if (word)
      finder.for_each(piece, [&](const TextTerm& term) { hash = hash == 0 ? term.hash : hash; });
    visit(piece, hash);
    begin = end;
  }
}

TermFinder single_words() {
  TextOptions options;
  options.pairs = false;
  return TermFinder(options);
}

}  // namespace

WordWeights::WordWeights(const RowTexts& texts, const ReviewCells& cells)
    : texts_(texts), cells_(cells), in_row_(texts.rows.size()) {
  if (texts.empty()) return;
  TermFinder finder = single_words();
  for (std::size_t row = 0; row < texts.rows.size(); ++row) {
    std::vector<std::uint32_t>& found = in_row_[row];
    for (const std::string& cell : texts.rows[row]) {
      if (!media_type(cell).empty()) continue;  // the name of a picture says nothing of it
      for_each_piece(cell, finder, [&](std::string_view, std::uint64_t hash) {
        if (hash == 0) return;
        found.push_back(
            words_.emplace(hash, static_cast<std::uint32_t>(words_.size())).first->second);
      });
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    found.shrink_to_fit();
    rows_with_.resize(words_.size(), 0);
    for (const std::uint32_t word : found) ++rows_with_[word];
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::uint32_t label = cells[i].at.label;
    if (label >= cells_of_label_.size()) cells_of_label_.resize(label + std::size_t{1});
    cells_of_label_[label].push_back(static_cast<std::uint32_t>(i));
  }
}

const WordWeights::LabelCounts& WordWeights::counts_of(std::uint32_t label,
                                                       const CellProbabilities& probabilities) {
  const auto found = known_.find(label);
  if (found != known_.end()) return found->second;
  if (known_.size() >= kMostKnown) known_.clear();
  LabelCounts& counts = known_[label];
  counts.rows.assign(words_.size(), 0);
  if (label >= cells_of_label_.size()) return counts;
  for (const std::uint32_t cell : cells_of_label_[label]) {
    const float right = probabilities.right[cell];
    counts.all += static_cast<double>(right);
    for (const std::uint32_t word : in_row_[cells_[cell].at.row]) counts.rows[word] += right;
  }
  return counts;
}

double WordWeights::weight_of(std::uint32_t word, double in_row, const LabelCounts& counts) const {
  const double rows = static_cast<double>(texts_.rows.size()) - 1;
  const double having = static_cast<double>(rows_with_[word]) - 1;
  if (rows <= 0 || having <= 0) return 0;
  const double usual = having / rows;
  const double with = std::max(0.0, static_cast<double>(counts.rows[word]) - in_row);
  const double all_with = std::max(with, counts.all - in_row);
  const double without = std::max(0.0, having - with), all_without = std::max(0.0, rows - all_with);
  return std::log((with + kDrawn * usual) / (all_with + kDrawn)) -
         std::log((without + kDrawn * usual) / (all_without + kDrawn));
}

std::vector<MarkedPiece> WordWeights::marked(std::string_view text, std::size_t row,
                                             std::uint32_t label,
                                             const CellProbabilities& probabilities) {
  const LabelCounts& counts = counts_of(label, probabilities);
  const std::size_t cell = cells_.find({static_cast<std::uint32_t>(row), label});
  const double in_row =
      cell == ReviewCells::npos ? 0 : static_cast<double>(probabilities.right[cell]);
  return marked_pieces(text, [&](std::uint64_t hash) {
    const auto word = words_.find(hash);
    return word == words_.end() ? 0 : weight_of(word->second, in_row, counts);
  });
}

std::vector<MarkedPiece> marked_pieces(std::string_view text,
                                       const std::function<double(std::uint64_t)>& weight) {
  TermFinder finder = single_words();
  std::vector<MarkedPiece> pieces;
  const char* plain = text.data();  // where what is not marked yet begins
  const auto end_plain = [&](const char* end) {
    if (end != plain) pieces.push_back({{plain, static_cast<std::size_t>(end - plain)}, 0});
  };
  for_each_piece(text, finder, [&](std::string_view piece, std::uint64_t hash) {
    const double size = hash == 0 ? 0 : weight(hash);
    if (std::abs(size) < kLeastMark) return;
    end_plain(piece.data());
    pieces.push_back({piece, size});
    plain = piece.data() + piece.size();
  });
  end_plain(text.data() + text.size());
  return pieces;
}

std::vector<std::size_t> WordWeights::nearest(std::size_t row, std::uint32_t label,
                                              std::span<const std::size_t> first,
                                              std::size_t most) const {
  if (texts_.empty()) return {};
  const auto all = static_cast<double>(texts_.rows.size());
  const auto rarity = [&](std::uint32_t word) { return std::log((all + 1) / rows_with_[word]); };
  const std::vector<std::uint32_t>& words = in_row_[row];
  std::span<const std::uint32_t> cells;
  if (label < cells_of_label_.size()) cells = cells_of_label_[label];
  return nearest_rows(row, first, cells_, cells, most, [&](std::size_t other) {
    double common = 0, own = 1;
    auto here = words.begin();
    for (const std::uint32_t word : in_row_[other]) {
      own += rarity(word);
      while (here != words.end() && *here < word) ++here;
      if (here != words.end() && *here == word) common += rarity(word);
    }
    return common / std::sqrt(own);
  });
}

}  // namespace sieve
