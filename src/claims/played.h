#pragma once

#include <optional>
#include <vector>

#include "labelsieve/claims.h"

namespace sieve {

// A lane after its answers: once with every "cannot tell" as 0, once as 1. Draws are never skipped.
struct Played {
  AuditLane zero, one;
  bool of_exported = true;
  std::size_t decisions = 0, unsure = 0, skipped = 0, label = 0;

  double value() const { return (zero.value() + one.value()) / 2; }
  Estimated any_time(double level) const;  // of a lane without answers nothing is known
  std::optional<Estimated> fixed(double level) const;
};
// One for each lane of the audit.
std::vector<Played> play(const Audit& audit, const AuditAnswers& answers);

// Whether just the planned decisions are made, or all there are: a number that was fixed
// beforehand.
bool is_complete(const Audit& audit, const AuditAnswers& answers, const std::vector<Played>& lanes);
bool is_census(const std::vector<Played>& lanes);

// The cells that have a label, in the order in which an audit cuts them into strata.
std::vector<AuditCell> exported_audit_cells(const AuditSubject& subject);

}  // namespace sieve
