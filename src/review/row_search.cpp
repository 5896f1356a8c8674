#include "review/row_search.h"

#include <algorithm>
#include <sstream>

#include "review/cells.h"

namespace sieve {
namespace {

constexpr std::size_t kKept = 8;  // answers

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    std::ranges::transform(word, word.begin(), lower);
    words.push_back(word);
  }
  return words;
}

}  // namespace

bool holds_word(const std::string& text, const std::string& word) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return !word.empty() &&
         std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

bool RowSearch::holds(std::size_t row, const std::string& word) const {
  if (holds_word(row_name(data_, row), word)) return true;
  return !texts_.empty() && std::ranges::any_of(texts_.rows[row], [&](const std::string& cell) {
    return holds_word(cell, word);
  });
}

RowSearch::Rows RowSearch::find(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  if (words.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  for (const auto& [asked, rows] : known_)
    if (asked == words) return rows;
  std::vector<bool> rows(data_.rows());
  for (std::size_t row = 0; row < rows.size(); ++row)
    rows[row] =
        std::ranges::all_of(words, [&](const std::string& word) { return holds(row, word); });
  if (known_.size() == kKept) known_.pop_back();
  known_.emplace_front(words, std::make_shared<const std::vector<bool>>(std::move(rows)));
  return known_.front().second;
}

}  // namespace sieve
