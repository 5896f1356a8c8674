#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "labelsieve/claims.h"
#include "review/cell_probabilities.h"
#include "review/ledger.h"

namespace sieve {

// How much still seems wrong.
struct ErrorLeft {
  std::size_t labels_on = 0;  // ticks that still stand and labels that were added
  std::size_t pending = 0;    // of these, ticks that nobody has decided
  std::size_t by_rule = 0;    // of these, labels that only a rule kept or added
  double wrong = 0;           // of these, how many seem wrong
  double pending_wrong = 0;   // of the undecided ones
  // Ticks taken away by people, and by rules alone.
  std::size_t removed = 0, removed_by_rule = 0, added_by_rule = 0;
  double share() const { return labels_on == 0 ? 0 : wrong / static_cast<double>(labels_on); }
};

// Costs a pass over all cells.
ErrorLeft error_left(const ReviewCells& cells, const CellProbabilities& probabilities,
                     std::span<const DecidedCell> decided);

// The share of the current labels that is wrong. A guess is about the ticks that nobody decided;
// decided ones count as people decided them, and need no basis.
std::optional<Claim> guess_left(const ErrorLeft& left, std::optional<GuessFrom> from);
// The same from the last audit that was about the ticks as they are in the data, if any: of its
// cells that were wrong, those that people took away are wrong no more. What rules did may be right
// or wrong.
const AuditClaimLine* last_audit(const Decisions& decisions, const LabelMatrix& ticks);
Claim audited_left(const ErrorLeft& left, const AuditClaimLine& audited);

}  // namespace sieve
