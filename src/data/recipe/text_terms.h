#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/dataset.h"

namespace sieve {

// A term of a text: a word, a pair of words, or some letters of a word.
struct TextTerm {
  std::uint64_t hash;
  std::string_view first, second;  // second: of a pair
  bool letters = false;

  // "word", "two words", "~ord ": words have neither blanks nor a tilde.
  std::string text() const;
};

// The hash of a term as TextTerm::text() has it.
std::uint64_t hash_of_term(std::string_view text);

// Finds the terms of texts. Keeps memory between texts; one for each thread.
class TermFinder {
 public:
  explicit TermFinder(const TextOptions& options) : options_(options) {}

  // Calls visit(term) for each, repeated ones each time; pairs follow their second word.
  template <class Visit>
  void for_each(std::string_view text, const Visit& visit) {
    find_words(text);
    for (std::size_t k = 0; k < words_.size(); ++k) {
      visit(TextTerm{words_[k].hash, word(k), {}});
      if (options_.pairs && k != 0)
        visit(TextTerm{hash_of_pair(words_[k - 1].hash, words_[k].hash), word(k - 1), word(k)});
      if (options_.char_grams < 2) continue;
      find_letters(word(k));
      for (const std::string_view letters : letters_)
        visit(TextTerm{hash_of_letters(letters), letters, {}, true});
    }
  }

 private:
  struct Word {
    std::size_t begin, end;  // in folded_
    std::uint64_t hash;
  };
  struct Folding {
    std::string from, to;
  };
  static std::uint64_t hash_of_pair(std::uint64_t first, std::uint64_t second);
  static std::uint64_t hash_of_letters(std::string_view letters);
  friend std::uint64_t hash_of_term(std::string_view text);

  void find_words(std::string_view text);
  void add_word(std::size_t begin, std::size_t end, std::uint64_t hash);
  std::size_t add_beyond_ascii(std::string_view run, std::size_t begin);
  void make_room(std::size_t size);
  const std::string& folding_of(std::string_view run);
  std::string_view word(std::size_t k) const {
    return std::string_view(folded_).substr(words_[k].begin, words_[k].end - words_[k].begin);
  }
  void find_letters(std::string_view word);

  TextOptions options_;
  std::string folded_;  // behind the last word is room for more
  std::string padded_;
  std::vector<Word> words_;
  std::vector<Folding> known_;  // what was folded last, by hash: words repeat
  std::vector<std::string_view> letters_;
};

// In how many rows each term occurs. Past four million terms the rarest are given up, so that
// memory stays bounded whatever the text.
class TermCounts {
 public:
  TermCounts() : slots_(1024) {}

  // Once a row counts, however often it is called for it; rows come one after the other.
  void add(const TextTerm& term, std::size_t row);
  void add(const TermCounts& below);
  void drop_rare();

  struct Count {
    std::string term;
    std::size_t rows;
  };
  // The `most` terms that occur in the most rows, of those that are in at least two (or in one,
  // where no term is in two), by their bytes.
  std::vector<Count> most_frequent(std::size_t most) const;

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t rows = 0;  // 0: free
    std::uint32_t last = 0;  // row that was counted last, from 1 on
    std::uint64_t at = 0;    // of its text
    std::uint32_t size = 0;
  };
  Slot& slot_of(std::uint64_t hash);
  void grow(std::size_t capacity);
  std::string_view text(const Slot& slot) const {
    return std::string_view(texts_).substr(slot.at, slot.size);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::string texts_;
};

}  // namespace sieve
