#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "labelsieve/dataset.h"
#include "labelsieve/error.h"
#include "review/cells.h"

// What reviewers decided: docs/formats/decisions.md describes the file.
namespace sieve {

// A decision on one cell: whether the label is right, and how likely that seemed then.
struct Choice {
  Cell at;
  bool on = false;
  double probability = 0;  // NaN where nothing was known of the cell
};

// The lane of cells that were checked before a sweep decided all others like them, and what a
// reviewer sees of a cell that was drawn.
inline constexpr const char* kSweepLane = "sweep";
inline constexpr const char* kShownBlind = "row and label";

// One line of the log. Lines are only ever added: an undo is a line, too.
struct DecisionLine {
  enum class Kind {
    Decide,  // one cell that a person looked at
    Row,     // several cells of one row that a person looked at
    Bulk,    // many cells by a rule
    Skip,    // one cell that a person passed over; its `on` means nothing
    Undo,    // an earlier line does not count any more
  };
  std::uint64_t id = 0;  // from 1; grows
  std::string made{};    // when, UTC
  Kind kind = Kind::Decide;
  std::string reviewer{};
  std::vector<Choice> choices{};
  std::string note{}, rule{};
  std::uint64_t undoes = 0;
  std::string nonce{};  // names the request that asked for it; a repeated request adds nothing
  // Of a decision about a cell that was drawn: in which audit (AuditCode) or sweep, its lane and
  // draw, whether it is the first or the second answer, the probability of having been drawn, and
  // what the reviewer saw.
  struct Audited {
    std::string audit{}, lane{};
    std::size_t draw = 0, pass = 1;
    double probability = 0;
    std::string shown{};
    bool of_sweep() const { return lane == kSweepLane; }
  };
  std::optional<Audited> audited{};
};

std::string_view kind_name(DecisionLine::Kind kind);

// An estimate, made when the log had `line` lines.
struct EstimateLine {
  std::uint64_t line = 0;  // the last one it knew
  std::uint64_t decisions = 0;
  double share = 0, low = 0, high = 0;  // of the labels that are on, how many are wrong
};

// What an audit proved when the log had `line` lines: the share of its labels that is wrong.
struct AuditClaimLine {
  std::uint64_t line = 0;
  std::string audit{};
  std::uint64_t decisions = 0, cells = 0;  // cells of the audit that have a label
  double level = 0.9, share = 0, low = 0, high = 1;
};

// The content of a log, as far as it is about the rows and labels of the data.
struct Decisions {
  std::vector<DecisionLine> lines;
  std::vector<EstimateLine> estimates;
  std::vector<AuditClaimLine> claims;
  std::size_t unknown_cells = 0;   // choices about rows or labels that the data do not have
  std::vector<std::string> notes;  // what could not be checked, or has changed
};

// Reads a log, even while reviewers add to it. Error(Io), or Error(Data) if it is not one or is
// about other data: where rows have no ids, their number and content have to be the same
// (docs/formats/decisions.md).
Decisions read_decision_log(const std::string& path, const Dataset& data);

// The file of a log was deleted, moved or replaced while it was open: what is added to it is lost.
// `rescued` is a copy of what it held, "" if there is none.
class MisplacedDecisions : public Error {
 public:
  MisplacedDecisions(const std::string& path, const std::string& rescued);
};

// A log that is open for writing. One process at a time.
class DecisionLog {
 public:
  // Opens the log, or makes it. Throws what read_decision_log() does.
  DecisionLog(const std::string& path, const Dataset& data);
  ~DecisionLog();
  DecisionLog(const DecisionLog&) = delete;
  DecisionLog& operator=(const DecisionLog&) = delete;

  const Decisions& content() const;
  // Adds a line, with `id` and `made` filled in. It is on the disk when this returns, completely or
  // (if this throws) not at all.
  const DecisionLine& add(DecisionLine line);
  // Does not wait for others who hold the file.
  void add(const EstimateLine& estimate);
  void add(const AuditClaimLine& claim);
  // MisplacedDecisions if the path does not lead to the open file any more. What it holds is then
  // written to <path>.rescued (once), for it would be gone with this.
  void require_in_place();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sieve
