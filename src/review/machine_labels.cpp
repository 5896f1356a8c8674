#include "review/machine_labels.h"

#include <set>
#include <string>
#include <utility>

namespace sieve {
namespace {

// From fill(row, values), which puts in those of a row's candidates.
template <class Fill>
CandidateScores scores_by_row(const LabelMatrix& candidates, Fill&& fill) {
  CandidateScores scores(candidates.share());
  std::vector<float> row_of(candidates.labels());
  for (std::size_t row = 0; row < candidates.rows(); ++row) {
    fill(row, row_of);
    scores.set_row(row, row_of);
  }
  return scores;
}

CandidateScores as_judged(const Judged& judged) {
  return scores_by_row(judged.data.candidates, [&](std::size_t row, std::vector<float>& row_of) {
    judged.probabilities.for_each(row, [&](std::size_t l, float value) { row_of[l] = value; });
  });
}

CandidateScores as_learnt(const Judged& judged, const ReviewCells& cells,
                          std::span<const DecidedCell> decided) {
  const std::vector<float> right =
      learn_right(cells, judged.data.candidates.labels(), decided, trust_in(judged));
  return scores_by_row(judged.data.candidates, [&](std::size_t row, std::vector<float>& row_of) {
    for (std::size_t cell = cells.first(row); cell < cells.first(row + 1); ++cell)
      row_of[cells[cell].at.label] = right[cell];
  });
}

// The audits in a log that are about other labels than those of the data.
std::set<std::string> audits_of_others(const Decisions& decisions, const Dataset& data) {
  std::set<std::string> codes, others;
  for (const DecisionLine& line : decisions.lines)
    if (line.audited) codes.insert(line.audited->audit);
  for (const std::string& text : codes)
    if (const auto code = parse_audit_code(text); code && !is_about(*code, data.candidates))
      others.insert(text);
  return others;
}

// Whether nobody decided a cell but in one of these audits.
bool is_measured_alone(const Ledger& ledger, Cell at, const std::set<std::string>& audits) {
  bool alone = !audits.empty();
  for (const CellVerdict& verdict : ledger.last_words(at)) {
    if (verdict.kind == CellVerdict::Kind::Skipped) continue;
    const auto& audited = ledger.line(verdict.line)->audited;
    alone = alone && audited && audits.contains(audited->audit);
  }
  return alone;
}

}  // namespace

Judged labels_alone(Judged judged) {
  Dataset labels;
  labels.candidates = judged.data.candidates.share();
  labels.votes = judged.data.votes;
  judged.data = std::move(labels);
  judged.model.reset();
  if (judged.crowd) judged.crowd->missing = {};
  if (judged.union_findings) judged.union_findings->missing = {};
  return judged;
}

MachineLabels machine_labels(const Judged& judged, const ReviewCells& cells,
                             std::span<const DecidedCell> decided) {
  Judged now;
  now.data.candidates = judged.data.candidates.share();
  now.data.votes = judged.data.votes;
  now.crowd = judged.crowd;
  now.union_findings = judged.union_findings;
  now.names_ignored = judged.names_ignored;
  now.decided = judged.decided;
  now.probabilities = decided.empty() ? as_judged(judged) : as_learnt(judged, cells, decided);
  Cleaned cleaned = clean(std::move(now), {.most_suspects = 0});
  return {std::move(cleaned.labels.kept), std::move(cleaned.judged.probabilities)};
}

std::vector<DecidedCell> decided_cells(const Decisions& decisions, const Dataset& data,
                                       const ReviewCells& cells) {
  const Ledger ledger = ledger_of(decisions);
  const std::set<std::string> others = audits_of_others(decisions, data);
  std::vector<DecidedCell> found;
  for (const auto& [at, outcome] : ledger.decided())
    if (const std::size_t cell = cells.find(at);
        cell != ReviewCells::npos && !is_measured_alone(ledger, at, others))
      found.push_back({cell, {outcome.looked, outcome.looked == 0, outcome.yes, outcome.on}});
  return found;
}

Trust trust_in(const Judged& judged) {
  return judged.crowd ? Trust::Votes : Trust::Predictor;
}

}  // namespace sieve
