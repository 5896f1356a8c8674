#include "review/error_left.h"

#include <algorithm>
#include <cmath>

#include "crowd/log_odds.h"

namespace sieve {
namespace {

// What is known of a cell beforehand never outweighs two reviewers.
constexpr double kFarthestBeforehand = 4.6;

double right_after(double before, const Outcome& outcome) {
  if (outcome.looked == 0) return before;
  const double vote = log_odds_of(kReviewerIsRight);
  const auto yes = static_cast<double>(outcome.yes), all = static_cast<double>(outcome.looked);
  const double odds = std::clamp(log_odds_of(before), -kFarthestBeforehand, kFarthestBeforehand);
  return probability_of(odds + vote * (2 * yes - all));
}

}  // namespace

ErrorLeft error_left(const ReviewCells& cells, const CellProbabilities& probabilities,
                     std::span<const DecidedCell> decided) {
  std::vector<Outcome> outcomes(cells.size());
  for (const DecidedCell& one : decided) outcomes[one.cell] = one.outcome;
  ErrorLeft out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    const bool ticked = cells[i].ticked, by_rule = outcome.looked == 0 && outcome.by_rule;
    if (!(outcome.decided() ? outcome.on : ticked)) {
      out.removed += ticked && !by_rule;
      out.removed_by_rule += ticked && by_rule;
      continue;
    }
    const double wrong = 1 - right_after(static_cast<double>(probabilities.right[i]), outcome);
    ++out.labels_on;
    out.by_rule += by_rule;
    out.added_by_rule += by_rule && !ticked;
    out.wrong += wrong;
    out.pending += !outcome.decided();
    if (outcome.looked == 0) out.pending_wrong += wrong;
  }
  return out;
}

std::optional<Claim> guess_left(const ErrorLeft& left, std::optional<GuessFrom> from) {
  const std::size_t open = left.pending + left.by_rule;  // that no person has decided
  if (!from && open > 0) return std::nullopt;
  std::optional<Claim> claim =
      guess({.cells = left.labels_on, .open = open, .estimated = left.pending_wrong},
            {.from = from.value_or(GuessFrom::Votes)});
  if (claim) claim->about = "wrong";
  return claim;
}

const AuditClaimLine* last_audit(const Decisions& decisions, const LabelMatrix& ticks) {
  for (auto claim = decisions.claims.rbegin(); claim != decisions.claims.rend(); ++claim) {
    const std::optional<AuditCode> code = parse_audit_code(claim->audit);
    if (code && is_about(*code, ticks)) return claim->decisions > 0 ? &*claim : nullptr;
  }
  return nullptr;
}

Claim audited_left(const ErrorLeft& left, const AuditClaimLine& audited) {
  const auto cells = static_cast<double>(audited.cells);
  const double on = std::max(1.0, static_cast<double>(left.labels_on));
  const auto found = static_cast<double>(left.removed);
  const auto by_rule = static_cast<double>(left.removed_by_rule);
  const double most = static_cast<double>(left.pending + left.by_rule) / on;
  Claim claim{.level = audited.level,
              .truth = ClaimTruth::Expert,
              .basis = ClaimBasis::Audit,
              .decisions = audited.decisions,
              .about = "wrong"};
  claim.low = std::clamp((audited.low * cells - found - by_rule) / on, 0.0, most);
  claim.high =
      std::clamp((audited.high * cells - found + static_cast<double>(left.added_by_rule)) / on,
                 claim.low, most);
  claim.value =
      std::clamp((audited.share * cells - found - by_rule / 2) / on, claim.low, claim.high);
  return claim;
}

}  // namespace sieve
