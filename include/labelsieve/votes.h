#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/labels.h"

namespace sieve {

// Who annotated which row, and the labels they assigned. A look is what one person said of one row;
// a look without a tick says that none of the labels fits. The looks of a row stand together, by
// person, and a person looks at a row once. Memory: 12 bytes per look and 4 per tick.
class Votes {
 public:
  Votes() = default;

  std::size_t rows() const { return first_look_.size() - 1; }
  std::size_t looks() const { return person_.size(); }
  std::size_t ticks() const { return label_.size(); }
  std::span<const std::string> people() const { return people_; }

  // The looks of a row are those from first_look(row) up to, but without, first_look(row + 1).
  std::size_t first_look(std::size_t row) const { return first_look_[row]; }
  std::size_t looks(std::size_t row) const { return first_look_[row + 1] - first_look_[row]; }
  std::uint32_t person(std::size_t look) const { return person_[look]; }
  // The labels ticked in a look, ascending.
  std::span<const std::uint32_t> ticked(std::size_t look) const {
    return {label_.data() + first_tick_[look], first_tick_[look + 1] - first_tick_[look]};
  }

  // The labels that any annotator assigned. Each must be below `labels`.
  LabelMatrix any_tick(std::size_t labels) const;
  // The given rows, in the given order; the people stay the same, in the same order.
  Votes select_rows(std::span<const std::size_t> rows) const;
  // The given labels alone (ascending), numbered from 0. Every look stays.
  Votes select_labels(std::span<const std::size_t> labels) const;
  // The same votes where label k has the number number[k].
  Votes renumber_labels(std::span<const std::uint32_t> number) const;
  friend bool operator==(const Votes&, const Votes&) = default;

 private:
  friend class VoteCollector;
  void append_look(std::uint32_t person, std::span<const std::uint32_t> ticked);

  std::vector<std::string> people_;
  std::vector<std::uint64_t> first_look_{0};  // one more than rows
  std::vector<std::uint32_t> person_;         // one per look
  std::vector<std::uint64_t> first_tick_{0};  // one more than looks
  std::vector<std::uint32_t> label_;          // one per tick
};

// Gathers looks and ticks in any order; a repeated one counts once.
class VoteCollector {
 public:
  void look(std::uint32_t row, std::uint32_t person);
  void tick(std::uint32_t row, std::uint32_t person, std::uint32_t label);
  // Votes over `rows` rows by `people`. Each row and person named must be below their number.
  // Leaves the collector empty.
  Votes finish(std::size_t rows, std::vector<std::string> people);

 private:
  struct Said {
    std::uint32_t row, person, label;  // a look alone: label is kNoLabel, after every real label
    friend auto operator<=>(const Said&, const Said&) = default;
  };
  static constexpr std::uint32_t kNoLabel = 0xffffffff;
  std::vector<Said> said_;
};

// Votes of `below` appended to `above`. People are the same if their names are.
Votes stack_rows(const Votes& above, const Votes& below);

}  // namespace sieve
