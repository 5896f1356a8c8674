#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/recipe/text_terms.h"

namespace sieve {

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
