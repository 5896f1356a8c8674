#include "review/page_audit.h"

#include <algorithm>

#include "claims/claim_json.h"
#include "claims/played.h"

namespace sieve {
namespace {

AuditAnswer answer_in(const DecisionLine& line) {
  if (line.kind == DecisionLine::Kind::Skip) return AuditAnswer::Unsure;
  return line.choices.front().on ? AuditAnswer::Right : AuditAnswer::Wrong;
}

}  // namespace

PageAudit::PageAudit(AuditSubject subject, const AuditRequest& request, double level)
    : audit_(std::move(subject), request), code_(to_string(audit_.code())), level_(level) {
  start_anew();
}

void PageAudit::start_anew() {
  answers_ = AuditAnswers::none(audit_);
  answered_ = counted_ = 0;
  path_.clear();
  const AuditLane& lane = audit_.lanes().front().lane;
  const std::size_t planned = lane.design().planned;
  zero_.emplace(Side{lane, ConfidenceSequence(level_, planned)});
  one_.emplace(Side{lane, ConfidenceSequence(level_, planned)});
}

std::optional<PageAudit::Asked> PageAudit::next() const {
  const std::vector<AuditQuestion>& questions = audit_.questions();
  if (answered_ < questions.size()) return Asked{answered_, 1};
  for (std::size_t q = 0; q < questions.size(); ++q)
    if (audit_.asked_twice(questions[q]) && answers_.second[q] == AuditAnswer::None)
      return Asked{q, 2};
  for (std::size_t q = 0; q < questions.size(); ++q)
    if (answers_.conflict(q) && answers_.third[q] == AuditAnswer::None) return Asked{q, 3};
  return std::nullopt;
}

DecisionLine::Audited PageAudit::mark(const Asked& asked) const {
  const AuditQuestion& one = question(asked);
  return {code_,      audit_.lanes()[one.lane].name, one.draw.number,
          asked.pass, one.draw.probability,          kShownBlind};
}

void PageAudit::read(const Decisions& decisions, const Ledger& ledger) {
  start_anew();
  for (const DecisionLine& line : decisions.lines)
    if (ledger.line(line.id) != nullptr) take(line);
}

void PageAudit::take(const DecisionLine& line) {
  if (!line.audited || line.audited->audit != code_ || line.choices.empty()) return;
  const Cell at = line.choices.front().at;
  const AuditQuestion* found = audit_.find(at.row, at.label);
  if (found == nullptr) return;
  const auto place = static_cast<std::size_t>(found - audit_.questions().data());
  answers_.of_pass(line.audited->pass)[place] = answer_in(line);
  advance();
}

// Questions are answered in their order; one that was undone waits for its answer. A row counts
// once all of its labels are answered.
void PageAudit::advance() {
  const std::size_t step = questions_per_draw(audit_);
  for (; answered_ < answers_.first.size() && answers_.first[answered_] != AuditAnswer::None;
       ++answered_)
    if ((answered_ + 1) % step == 0) count(answered_ + 1 - step, answered_ + 1);
}

void PageAudit::count(std::size_t first, std::size_t last) {
  if (!audit_.lanes()[audit_.questions()[first].lane].of_exported) return;
  if (audit_.request().per_label) return;  // one claim for each label: render_result()
  const DrawAnswer answer = answer_for(audit_, answers_, first, last);
  for (Side* side : {&*zero_, &*one_}) {
    side->lane.next();
    side->lane.answer(side == &*one_ ? answer.open || answer.one : !answer.open && answer.one);
    side->sequence.add(side->lane.steps().back());
  }
  ++counted_;
  path_.push_back(*claim());
}

std::optional<Claim> PageAudit::claim() const {
  if (counted_ == 0) return std::nullopt;
  const double low = zero_->sequence.interval().low, high = one_->sequence.interval().high;
  const double value = (zero_->lane.value() + one_->lane.value()) / 2;
  Claim claim{.value = std::max(low, std::min(value, high)),
              .low = low,
              .high = high,
              .level = level_,
              .decisions = counted_,
              .about = about()};
  if (audit_.request().rows) {
    claim.value = 1 - claim.value;
    claim.low = 1 - high;
    claim.high = 1 - low;
  }
  return claim;
}

std::optional<AuditClaimLine> PageAudit::claim_line(std::uint64_t line) const {
  if (audit_.request().rows || audit_.request().per_label) return std::nullopt;
  const Claim now = claim().value_or(Claim{.value = 0.5});
  return AuditClaimLine{line,   code_,     counted_, audit_.exported_cells(),
                        level_, now.value, now.low,  now.high};
}

Json PageAudit::render_state() const {
  std::vector<Json> path;
  for (const Claim& one : path_)
    path.push_back(Json::array(
        {one.decisions, json_share(one.value), json_share(one.low), json_share(one.high)}));
  const std::optional<Asked> asked = next();
  std::size_t twice = 0, again = 0, conflicts = 0, settled = 0;
  for (std::size_t q = 0; q < audit_.questions().size(); ++q) {
    twice += audit_.asked_twice(audit_.questions()[q]);
    again += answers_.second[q] != AuditAnswer::None;
    conflicts += answers_.conflict(q);
    settled += answers_.third[q] != AuditAnswer::None;
  }
  const std::optional<Claim> now = claim();
  return Json::object({{"about", about()},
                       {"answered", answered_},
                       {"asked", audit_.questions().size()},
                       {"pass", asked ? Json(asked->pass) : Json()},
                       {"again", again},
                       {"twice", twice},
                       {"conflicts", conflicts},
                       {"settled", settled},
                       {"labels", audit_.exported_cells()},
                       {"per_label", audit_.request().per_label},
                       {"claim", now ? json_of(*now) : Json()},
                       {"path", Json::array(path)}});
}

Json PageAudit::render_result() const {
  if (answers_.answered() == 0) return {};
  const AuditResult result = audit_result(audit_, answers_, level_);
  return Json::object({{"complete", result.complete},
                       {"figures", figures_json(result)},
                       {"labels", labels_json(result, audit_.data())},
                       {"agreement", agreement_json(result.agreement)}});
}

}  // namespace sieve
