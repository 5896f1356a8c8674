#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/require.h"
#include "claims/played.h"
#include "labelsieve/claims.h"

namespace sieve {
namespace {

constexpr std::size_t kFewestPairs = 10;

struct Figures {
  const Audit& audit;
  const std::vector<Played>& lanes;
  double level;
  bool complete;

  std::size_t decisions(bool of_exported) const {
    std::size_t sum = 0;
    for (const Played& lane : lanes)
      if (lane.of_exported == of_exported) sum += lane.decisions;
    return sum;
  }
  const Played* others() const { return lanes.back().of_exported ? nullptr : &lanes.back(); }
  bool one_by_one() const { return audit.request().per_label; }

  // The share of exported labels that are wrong.
  std::optional<Estimated> fixed_wrong() const {
    if (!one_by_one()) return lanes[0].fixed(level);
    std::vector<StratumCount> zero, one;
    double value = 0;
    for (const Played& lane : lanes) {
      if (!lane.of_exported) continue;
      for (const auto& [from, to] : {std::pair(&lane.zero, &zero), std::pair(&lane.one, &one)}) {
        const std::vector<StratumCount> counts = from->counts();
        to->insert(to->end(), counts.begin(), counts.end());
      }
    }
    const auto low = fixed_interval(zero, level), high = fixed_interval(one, level);
    if (!low || !high) return std::nullopt;
    value = (low->value + high->value) / 2;
    return Estimated{value, {low->interval.low, high->interval.high}};
  }
  std::optional<Estimated> always_wrong(double at) const {
    if (one_by_one() || lanes[0].decisions == 0) return std::nullopt;
    return lanes[0].any_time(at);
  }

  Claim claim(const Estimated& estimated, const std::string& about, std::size_t of) const {
    return {.value = estimated.value,
            .low = estimated.interval.low,
            .high = estimated.interval.high,
            .level = level,
            .decisions = of,
            .about = about};
  }

  AuditedFigure wrong() const {
    AuditedFigure figure{.about = "wrong"};
    const std::size_t of = decisions(true);
    if (const auto fixed = fixed_wrong(); complete && fixed)
      figure.fixed = claim(*fixed, "wrong", of);
    if (const auto always = always_wrong(level)) figure.any_time = claim(*always, "wrong", of);
    if (!figure.best())
      figure.why_none = one_by_one() ? "too few decisions for all labels together" : "no decisions";
    return figure;
  }

  // The share of rows without a wrong or missing label.
  AuditedFigure perfect() const {
    AuditedFigure figure{.about = "perfect"};
    const auto turned = [&](const Estimated& wrong) {
      return claim({1 - wrong.value, {1 - wrong.interval.high, 1 - wrong.interval.low}}, "perfect",
                   lanes[0].decisions);
    };
    if (const auto fixed = lanes[0].fixed(level); complete && fixed) figure.fixed = turned(*fixed);
    if (lanes[0].decisions > 0)
      figure.any_time = turned(lanes[0].any_time(level));
    else
      figure.why_none = "no row is answered as a whole";
    return figure;
  }

  AuditedFigure measure(LabelMeasure which) const {
    AuditedFigure figure{.about = std::string(to_string(which))};
    const bool alone = which == LabelMeasure::Precision;
    const std::size_t of = decisions(true) + (alone ? 0 : decisions(false));
    if (!alone && (!others() || others()->decisions == 0)) {
      figure.why_none = audit.other_cells() == 0 ? "there are no cells without a label"
                        : audit.request().others ? "no decisions on cells without a label"
                                                 : "cells without a label were not asked";
      return figure;
    }
    TwoLanes two{audit.exported_cells(), audit.other_cells(), {}, {}};
    const auto right = alone ? std::optional(Estimated{}) : others()->fixed(level);
    if (const auto fixed = fixed_wrong(); complete && fixed && right) {
      two.wrong = *fixed;
      two.right = *right;
      figure.fixed = claim(fixed_measure(which, two), figure.about, of);
    }
    const double at = alone ? level : (1 + level) / 2;
    if (const auto always = always_wrong(at)) {
      two.wrong = *always;
      two.right = alone ? Estimated{} : others()->any_time(at);
      figure.any_time = claim(sequence_measure(which, two), figure.about, of);
    }
    if (!figure.best()) figure.why_none = "too few decisions";
    return figure;
  }
};

std::vector<AuditedLabel> label_claims(const Figures& figures) {
  std::vector<AuditedLabel> labels;
  const auto add = [&](std::size_t label, const LabelShare& low, const LabelShare& high) {
    AuditedLabel found{label, low.decisions, low.basis, {}};
    if (low.basis == LabelBasis::Refused || high.basis == LabelBasis::Refused)
      found.basis = LabelBasis::Refused;
    else
      found.claim =
          figures.claim({(low.estimate.value + high.estimate.value) / 2,
                         {low.estimate.interval.low, high.estimate.interval.high}},
                        "wrong " + figures.audit.data().label_names[label], low.decisions);
    labels.push_back(found);
  };
  if (!figures.one_by_one()) {
    const std::vector<LabelShare> low = label_shares(figures.lanes[0].zero, figures.level);
    const std::vector<LabelShare> high = label_shares(figures.lanes[0].one, figures.level);
    for (std::size_t l = 0; l < low.size(); ++l)
      if (low[l].decisions > 0) add(l, low[l], high[l]);
    return labels;
  }
  for (const Played& lane : figures.lanes) {
    if (!lane.of_exported || lane.decisions == 0) continue;
    AuditedLabel found{lane.label, lane.decisions, LabelBasis::Direct, {}};
    const auto fixed = figures.complete ? lane.fixed(figures.level) : std::nullopt;
    const Estimated estimate = fixed ? *fixed : lane.any_time(figures.level);
    if (estimate.interval.width() > 0.5)
      found.basis = LabelBasis::Refused;
    else
      found.claim = figures.claim(estimate, "wrong " + figures.audit.data().label_names[lane.label],
                                  lane.decisions);
    labels.push_back(found);
  }
  return labels;
}

ReviewerAgreement agreement_of(const Audit& audit, const AuditAnswers& answers) {
  ReviewerAgreement found;
  for (std::size_t q = 0; q < audit.questions().size(); ++q) {
    const AuditAnswer a = answers.first[q], b = answers.second[q];
    const auto clear = [](AuditAnswer each) {
      return each == AuditAnswer::Right || each == AuditAnswer::Wrong;
    };
    if (!clear(a) || !clear(b)) continue;
    ++found.pairs;
    found.same += a == b;
    if (a == b || q >= answers.third.size() || !clear(answers.third[q])) continue;
    ++found.settled;
    found.first_right += answers.third[q] == a;
  }
  return found;
}

bool all_the_same(const AuditAnswers& answers) {
  AuditAnswer one = AuditAnswer::None;
  for (const AuditAnswer each : answers.first) {
    if (each == AuditAnswer::None) continue;
    if (one != AuditAnswer::None && each != one) return false;
    one = each;
  }
  return true;
}

std::vector<std::string> notes_on(const AuditResult& result, const AuditAnswers& answers,
                                  const Audit& audit) {
  std::vector<std::string> notes;
  const auto was = [](std::size_t count) { return count == 1 ? "counts" : "count"; };
  if (result.skipped > 0)
    notes.push_back(fmt::format("{} left open before later ones {} as \"cannot tell\"",
                                count_text(result.skipped, "question"), was(result.skipped)));
  if (result.unsure > 0)
    notes.push_back(
        fmt::format("{} of \"cannot tell\" {} as wrong for one limit and right for "
                    "the other",
                    count_text(result.unsure, "answer"), was(result.unsure)));
  if (all_the_same(answers) && result.decisions > 1)
    notes.push_back("all answers are the same: make sure that somebody looked at every cell");
  if (!result.complete && result.decisions < audit.request().budget)
    notes.push_back(
        fmt::format("{} of {} decisions are made: claims hold at any time, and narrow "
                    "with every decision",
                    result.decisions, result.asked));
  if (result.decisions > audit.request().budget && !result.census)
    notes.push_back(
        "more decisions were made than planned: only claims that hold at any time "
        "are given");
  return notes;
}

}  // namespace

AuditResult audit_result(const Audit& audit, const AuditAnswers& answers, double level) {
  if (answers.answered() == 0)
    throw Error(Failure::Data, "there is no answer yet", {},
                "write 1 (right), 0 (wrong) or ? (cannot tell) into the column 'answer'");
  const std::vector<Played> lanes = play(audit, answers);
  AuditResult result{.level = level, .asked = audit.asked()};
  for (const Played& lane : lanes) {
    result.decisions += lane.decisions;
    result.unsure += lane.unsure;
    result.skipped += lane.skipped;
  }
  result.census = is_census(lanes);
  result.complete = is_complete(audit, answers, lanes);
  const Figures figures{audit, lanes, level, result.complete};
  result.agreement = agreement_of(audit, answers);
  if (audit.request().rows) {
    result.figures.push_back(figures.perfect());
    result.notes = notes_on(result, answers, audit);
    return result;
  }
  result.figures.push_back(figures.wrong());
  for (const LabelMeasure which : kLabelMeasures) result.figures.push_back(figures.measure(which));
  result.labels = label_claims(figures);
  if (const Claim* wrong = result.figures[0].best();
      wrong && result.agreement.pairs >= kFewestPairs) {
    ReviewerAgreement& agreement = result.agreement;
    agreement.errors = correct_for_reviewers({wrong->low, wrong->high},
                                             agreement.pairs - agreement.same, agreement.pairs);
    agreement.corrected = corrected_claim(*wrong, *agreement.errors);
  }
  result.notes = notes_on(result, answers, audit);
  return result;
}

AuditGoal parse_goal(const std::string& text) {
  const auto refuse = [&] {
    return Error(Failure::Usage, "'" + text + "' is not a goal", {},
                 "say for example \"precision >= 0.95\", \"recall >= 0.9\" or \"hamming <= 0.02\"");
  };
  std::string plain;
  for (const char c : text)
    if (c != ' ') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t at = plain.find_first_of("<>");
  if (at == plain.npos || at + 2 >= plain.size() || plain[at + 1] != '=') throw refuse();
  AuditGoal goal{plain.substr(0, at), plain[at] == '>', 0};
  const char *start = plain.data() + at + 2, *end = plain.data() + plain.size();
  const auto [stop, error] = std::from_chars(start, end, goal.share);
  if (error != std::errc() || stop != end || !(goal.share >= 0 && goal.share <= 1)) throw refuse();
  const bool small = goal.about == "hamming" || goal.about == "wrong";
  if (!small && goal.about != "precision" && goal.about != "recall" && goal.about != "f1" &&
      goal.about != "perfect")
    throw refuse();
  if (small == goal.at_least)
    throw Error(Failure::Usage, "'" + text + "' asks for the wrong direction", {},
                fmt::format("{} is better when it is {}", goal.about, small ? "small" : "large"));
  return goal;
}

std::string to_string(const AuditGoal& goal) {
  return fmt::format("{} {} {}", goal.about, goal.at_least ? ">=" : "<=", goal.share);
}

Acceptance judge_goal(const Audit& audit, const AuditAnswers& answers, const AuditGoal& goal,
                      double level) {
  require(!audit.request().per_label, "goals are about all labels together",
          "audit all of them together");
  const bool of_rows = goal.about == "perfect";
  require(of_rows == audit.request().rows,
          of_rows ? "this audit does not ask about whole rows" : "this audit asks about whole rows",
          "begin one that asks about what the goal says");
  const std::vector<Played> lanes = play(audit, answers);
  if (goal.about == "precision" || goal.about == "wrong" || of_rows) {
    // Rounded, so that 1 - 0.95 is 0.05 to the last digit that was typed.
    const double share =
        goal.about == "wrong" ? goal.share : std::round((1 - goal.share) * 1e12) / 1e12;
    if (sequence_at_most(lanes[0].one, share, level) == Acceptance::Yes) return Acceptance::Yes;
    return sequence_at_most(lanes[0].zero, share, level) == Acceptance::No ? Acceptance::No
                                                                           : Acceptance::NotYet;
  }
  require(audit.request().others, "this audit does not ask about cells without a label",
          "begin one that does");
  LabelMeasure which = LabelMeasure::Recall;
  for (const LabelMeasure each : kLabelMeasures)
    if (to_string(each) == goal.about) which = each;
  const TwoLanes two{audit.exported_cells(), audit.other_cells(), lanes[0].any_time(level),
                     lanes.back().any_time(level)};
  const Interval range = sequence_measure(which, two).interval;
  if (goal.at_least ? range.low >= goal.share : range.high <= goal.share) return Acceptance::Yes;
  if (goal.at_least ? range.high < goal.share : range.low > goal.share) return Acceptance::No;
  return Acceptance::NotYet;
}

}  // namespace sieve
