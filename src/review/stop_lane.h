#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "labelsieve/claims.h"
#include "review/decisions.h"
#include "review/ledger.h"

namespace sieve {

// Random draws that say when a review may stop: among the labels that are on and that no person had
// decided when the first of them was asked for. What people decide meanwhile counts as known. Its
// answers are lines of the log.
class StopLane {
 public:
  // The cells must outlive it.
  StopLane(const ReviewCells& cells, std::size_t labels, double stop_at, double level);

  bool begun() const { return lane_.has_value(); }
  // Where it has not begun, begins with the labels of now.
  void begin(const Ledger& ledger, std::uint64_t last_line);
  struct Drawn {
    Cell at;
    DecisionLine::Audited mark;
  };
  // What is to be decided next; nothing before it begins, and once all is decided.
  std::optional<Drawn> next();

  // All lines that count, anew.
  void read(const Decisions& decisions, const Ledger& ledger);
  // One more.
  void take(const DecisionLine& line);

  // Of `on` labels that are on: the share that is wrong, and whether it is small enough.
  std::optional<Claim> claim(std::size_t on) const;
  bool enough(std::size_t on) const;
  Json render_state(std::size_t on) const;

 private:
  void answer(bool wrong);
  void fix(Cell at, bool wrong);
  bool is_open(Cell at) const;
  void close(std::size_t cell);
  double found() const { return static_cast<double>(lane_->ones() - unsure_); }

  const ReviewCells& cells_;
  std::size_t labels_;
  double stop_at_, level_;
  std::string name_;  // of these draws, in the log
  std::optional<AuditLane> lane_{};
  std::optional<ConfidenceSequence> sequence_{};
  std::vector<bool> open_{};  // by cell: in the lane, and not decided
  std::size_t left_ = 0;      // of these
  // Answers that count as wrong but changed nothing; labels that rules took away or added.
  std::size_t unsure_ = 0, removed_ = 0, added_ = 0;
};

}  // namespace sieve
