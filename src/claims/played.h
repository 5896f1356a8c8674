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
// What the answers to one draw say: to one question, or to all labels of a row.
struct DrawAnswer {
  AuditAnswer given = AuditAnswer::None;  // nothing unless every question is answered
  bool one = false;                       // what it says in the lane
  bool open = true;                       // not known
};
// By the first answers to the questions from `first` to before `last`.
DrawAnswer answer_for(const Audit& audit, const AuditAnswers& answers, std::size_t first,
                      std::size_t last);
// Questions that belong to one draw.
std::size_t questions_per_draw(const Audit& audit);

// One for each lane of the audit.
std::vector<Played> play(const Audit& audit, const AuditAnswers& answers);

// Whether just the planned decisions are made, or all there are: a number that was fixed
// beforehand.
bool is_complete(const Audit& audit, const AuditAnswers& answers, const std::vector<Played>& lanes);
bool is_census(const std::vector<Played>& lanes);

// The cells that have a label, in the order in which an audit cuts them into strata.
std::vector<AuditCell> exported_audit_cells(const AuditSubject& subject);

}  // namespace sieve
