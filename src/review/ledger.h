#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "review/decisions.h"

namespace sieve {

// What one line says of a cell.
struct CellVerdict {
  std::uint64_t line = 0;
  std::uint32_t reviewer = 0;
  enum class Kind { Looked, Rule, Skipped } kind = Kind::Looked;
  bool on = false;
};

// What holds for a cell after all lines. People who looked come before rules; the last word of each
// person counts, most of them decide, and where they are even the last one does.
struct Outcome {
  std::size_t looked = 0;  // people who decided it
  bool by_rule = false;
  std::size_t yes = 0;  // of the people
  bool on = false;      // only if looked or by_rule

  bool decided() const { return looked > 0 || by_rule; }
  bool disputed() const { return yes != 0 && yes != looked; }
  bool is_even() const { return looked > 0 && 2 * yes == looked; }
};

// A cell of a review that somebody has decided.
struct DecidedCell {
  std::size_t cell = 0;  // its number among ReviewCells
  Outcome outcome;
};

// How often two people who decided the same cell agree.
struct LedgerAgreement {
  std::size_t cells = 0, pairs = 0, same = 0;
  double share() const;
};

// The state of a review: all lines of a log taken together.
class Ledger {
 public:
  // Lines in the order of the log.
  void apply(const DecisionLine& line);

  const std::vector<std::string>& reviewers() const { return reviewers_; }
  std::uint32_t reviewer(const std::string& name);  // a new one if there is none

  Outcome outcome(Cell at) const;
  // The last word of each on the cell, in the order of their lines.
  std::vector<CellVerdict> last_words(Cell at) const;
  bool has_spoken(Cell at, std::uint32_t reviewer) const;  // decided or skipped it
  bool has_skipped(Cell at, std::uint32_t reviewer) const;
  bool is_noted(std::uint32_t row) const;  // somebody's decision there has a note

  // The line that the next undo of this reviewer takes back; 0 if there is none.
  std::uint64_t last_line(std::uint32_t reviewer) const;
  // A line that counts; null if it was undone or never there.
  const DecisionLine* line(std::uint64_t id) const;
  bool knows(const std::string& nonce) const { return by_nonce_.contains(nonce); }
  std::uint64_t line_of(const std::string& nonce) const { return by_nonce_.at(nonce); }

  // What was decided, by row and label: all of it, or that of the cells of a review.
  std::vector<std::pair<Cell, Outcome>> decided() const;
  std::vector<DecidedCell> decided(const ReviewCells& cells) const;
  // Rows where somebody decided this label, the latest first, at most `most`.
  std::vector<std::size_t> rows_decided(std::uint32_t label, std::size_t most) const;
  std::size_t looks() const { return looks_; }  // decisions of people that count
  LedgerAgreement agreement() const;

 private:
  void take_back(std::uint64_t id);

  std::vector<std::string> reviewers_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::map<Cell, std::vector<CellVerdict>> verdicts_;
  std::vector<std::vector<std::uint64_t>> stacks_;  // of each reviewer: lines to undo
  std::unordered_map<std::uint64_t, DecisionLine> lines_;
  std::unordered_map<std::string, std::uint64_t> by_nonce_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> rows_of_label_;  // some twice
  std::size_t looks_ = 0;
};

Ledger ledger_of(const Decisions& decisions);

}  // namespace sieve
