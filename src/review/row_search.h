#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "labelsieve/dataset.h"
#include "review/row_texts.h"

namespace sieve {

// Whether the text holds the word, whatever the case of either.
bool holds_word(const std::string& text, const std::string& word);

// Rows whose id or texts hold some words, whatever their case. The last answers are kept. Safe to
// use from several threads.
class RowSearch {
 public:
  using Rows = std::shared_ptr<const std::vector<bool>>;

  // Both have to stay.
  RowSearch(const Dataset& data, const RowTexts& texts) : data_(data), texts_(texts) {}

  // Rows that hold each of the words, in any order; null for a text without words.
  Rows find(const std::string& text);

 private:
  bool holds(std::size_t row, const std::string& word) const;

  const Dataset& data_;
  const RowTexts& texts_;
  std::mutex mutex_;
  std::deque<std::pair<std::vector<std::string>, Rows>> known_;  // the last one first
};

}  // namespace sieve
