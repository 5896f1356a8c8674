#include "base/require.h"
#include "claims/played.h"

namespace sieve {
namespace {

constexpr std::size_t kFewest = 20;
constexpr double kWidest = 0.5;

// Of an annotator's exported ticks: those in each stratum, and what was decided of them, with
// "cannot tell" as right and as wrong.
struct OwnTicks {
  std::vector<StratumCount> low{}, high{};
  std::size_t decisions = 0;
};

// Calls visit(annotator) for everybody who ticked the cell.
template <class Visit>
void for_each_ticker(const Votes& votes, std::size_t row, std::size_t label, const Visit& visit) {
  for (std::size_t at = votes.first_annotation(row); at < votes.first_annotation(row + 1); ++at)
    for (const std::uint32_t ticked : votes.ticked(at))
      if (ticked == label) visit(votes.annotator(at));
}

std::optional<Claim> claim_of(const OwnTicks& own, double level) {
  if (own.decisions < kFewest) return std::nullopt;
  const auto low = fixed_interval(own.low, level), high = fixed_interval(own.high, level);
  if (!low || !high || high->interval.high - low->interval.low > kWidest) return std::nullopt;
  return Claim{.value = (low->value + high->value) / 2,
               .low = low->interval.low,
               .high = high->interval.high,
               .level = level,
               .decisions = own.decisions,
               .about = "wrong"};
}

// Strata without cells of theirs do not count.
void drop_empty(std::vector<StratumCount>& strata) {
  std::erase_if(strata, [](const StratumCount& each) { return each.cells == 0; });
}

}  // namespace

// Which of the cells an annotator ticked is known beforehand, so that the cells drawn among them
// are a random sample of them in each stratum.
std::vector<AuditedAnnotator> annotator_claims(const Audit& audit, const AuditAnswers& answers,
                                               double level) {
  require(audit.data().votes != nullptr, "it is not known who ticked what",
          "give the annotations to claim something of annotators");
  require(!audit.request().per_label && !audit.request().rows,
          "annotators are judged by an audit of all labels together, cell by cell");
  const Votes& votes = *audit.data().votes;
  const AuditLane& lane = audit.lanes()[0].lane;
  const std::size_t labels = audit.data().labels(), strata = lane.counts().size();
  std::vector<OwnTicks> own(votes.annotators().size());
  for (OwnTicks& each : own) each.low.resize(strata), each.high.resize(strata);
  const std::vector<AuditCell> cells = exported_audit_cells(audit.subject());
  const std::vector<std::uint32_t> stratum = audit_strata(cells, lane.design());
  for (std::size_t k = 0; k < cells.size(); ++k)
    for_each_ticker(votes, cells[k].id / labels, cells[k].label, [&](std::size_t a) {
      ++own[a].low[stratum[k]].cells, ++own[a].high[stratum[k]].cells;
    });
  for (std::size_t q = 0; q < audit.questions().size(); ++q) {
    const AuditQuestion& question = audit.questions()[q];
    if (question.lane != 0 || answers.first[q] == AuditAnswer::None) continue;
    const std::size_t h = question.draw.stratum;
    for_each_ticker(votes, question.row, question.label, [&](std::size_t a) {
      ++own[a].decisions;
      ++own[a].low[h].decided, ++own[a].high[h].decided;
      own[a].low[h].ones += answers.first[q] == AuditAnswer::Wrong;
      own[a].high[h].ones += answers.first[q] != AuditAnswer::Right;
    });
  }
  const bool complete = is_complete(audit, answers, play(audit, answers));
  std::vector<AuditedAnnotator> claims;
  for (std::size_t a = 0; a < own.size(); ++a) {
    drop_empty(own[a].low), drop_empty(own[a].high);
    claims.push_back({a, own[a].decisions, complete ? claim_of(own[a], level) : std::nullopt});
  }
  return claims;
}

}  // namespace sieve
