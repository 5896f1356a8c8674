#include "claims/played.h"

#include <algorithm>

namespace sieve {
namespace {

bool is_clear(AuditAnswer answer) {
  return answer == AuditAnswer::Right || answer == AuditAnswer::Wrong;
}

// A row is wrong if one of its labels is; it may be known to be wrong before all are answered.
DrawAnswer answer_for_row(const Audit& audit, const AuditAnswers& answers, std::size_t first,
                          std::size_t last) {
  DrawAnswer found{AuditAnswer::Right, false, false};
  for (std::size_t q = first; q < last; ++q) {
    const AuditQuestion& question = audit.questions()[q];
    const AuditAnswer answer = answers.first[q];
    const bool has = audit.subject().exported.get(question.row, question.label);
    found.one |= is_clear(answer) && (answer == AuditAnswer::Right) != has;
    found.open |= !is_clear(answer);
    if (answer == AuditAnswer::None) found.given = AuditAnswer::None;
  }
  found.open &= !found.one;
  if (found.given != AuditAnswer::None && found.open) found.given = AuditAnswer::Unsure;
  return found;
}

// Calls visit(first question, answer) for each draw.
template <class Visit>
void for_each_draw(const Audit& audit, const AuditAnswers& answers, const Visit& visit) {
  const std::size_t step = questions_per_draw(audit);
  for (std::size_t q = 0; q < audit.questions().size(); q += step)
    visit(audit.questions()[q], answer_for(audit, answers, q, q + step));
}

}  // namespace

DrawAnswer answer_for(const Audit& audit, const AuditAnswers& answers, std::size_t first,
                      std::size_t last) {
  if (audit.request().rows) return answer_for_row(audit, answers, first, last);
  const AuditAnswer answer = answers.first[first];
  const bool of_exported = audit.lanes()[audit.questions()[first].lane].of_exported;
  return {answer, (answer == AuditAnswer::Right) != of_exported, !is_clear(answer)};
}

std::size_t questions_per_draw(const Audit& audit) {
  return audit.request().rows ? audit.data().labels() : 1;
}

Estimated Played::any_time(double level) const {
  if (decisions == 0) return {0.5, {0, 1}};
  const Interval low = sequence_interval(zero, level);
  const Interval high = unsure + skipped == 0 ? low : sequence_interval(one, level);
  const Interval both{low.low, high.high};
  return {std::max(both.low, std::min(value(), both.high)), both};
}

std::optional<Estimated> Played::fixed(double level) const {
  const auto low = fixed_interval(zero, level), high = fixed_interval(one, level);
  if (!low || !high) return std::nullopt;
  return Estimated{value(), {low->interval.low, high->interval.high}};
}

std::vector<Played> play(const Audit& audit, const AuditAnswers& answers) {
  std::vector<Played> played;
  std::vector<std::size_t> last(audit.lanes().size());  // the last answered draw
  for_each_draw(audit, answers, [&](const AuditQuestion& question, const DrawAnswer& answer) {
    if (answer.given != AuditAnswer::None)
      last[question.lane] = std::max(last[question.lane], question.draw.number);
  });
  for (const AuditLaneInfo& info : audit.lanes())
    played.push_back({info.lane, info.lane, info.of_exported});
  // Questions of a lane stand in the order of its draws.
  for_each_draw(audit, answers, [&](const AuditQuestion& question, const DrawAnswer& answer) {
    Played& lane = played[question.lane];
    if (question.draw.number > last[question.lane]) return;
    lane.zero.next(), lane.one.next();
    lane.zero.answer(!answer.open && answer.one);
    lane.one.answer(answer.open || answer.one);
    lane.decisions += answer.given != AuditAnswer::None;
    lane.unsure += answer.given == AuditAnswer::Unsure;
    lane.skipped += answer.given == AuditAnswer::None;
    lane.label = question.label;
  });
  return played;
}

bool is_census(const std::vector<Played>& lanes) {
  return std::ranges::all_of(
      lanes, [](const Played& lane) { return lane.decisions == lane.zero.cells(); });
}

bool is_complete(const Audit& audit, const AuditAnswers& answers,
                 const std::vector<Played>& lanes) {
  if (is_census(lanes)) return true;
  const AuditRequest& request = audit.request();
  const std::size_t cells =
      request.rows ? audit.data().rows()
                   : audit.exported_cells() + (request.others ? audit.other_cells() : 0);
  const std::size_t planned = std::min(request.budget, cells);
  std::size_t drawn = 0;
  for (const Played& lane : lanes) drawn += lane.decisions + lane.skipped;
  // Nor is it a number fixed beforehand if cells were decided that were only asked for later.
  const std::size_t questions = planned * questions_per_draw(audit);
  const auto later = static_cast<std::ptrdiff_t>(std::min(questions, answers.first.size()));
  return drawn == planned &&
         std::all_of(answers.first.begin() + later, answers.first.end(),
                     [](AuditAnswer each) { return each == AuditAnswer::None; });
}

}  // namespace sieve
