// What came of a review.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/json.h"
#include "data/annotations/annotations_back.h"
#include "data/csv/csv_cells.h"
#include "labelsieve/review.h"
#include "review/decisions.h"
#include "review/error_left.h"
#include "review/ledger.h"

namespace sieve {
namespace {

// The line that has the last word on a cell.
const DecisionLine& last_line(const Ledger& ledger, Cell at, const Outcome& outcome) {
  const CellVerdict::Kind kind =
      outcome.looked > 0 ? CellVerdict::Kind::Looked : CellVerdict::Kind::Rule;
  const DecisionLine* last = nullptr;
  for (const CellVerdict& verdict : ledger.last_words(at))
    if (verdict.kind == kind) last = ledger.line(verdict.line);
  return *last;
}

ReviewedCell reviewed_cell(const Ledger& ledger, Cell at, const Outcome& outcome) {
  const DecisionLine& line = last_line(ledger, at, outcome);
  const auto choice = std::ranges::find(line.choices, at, &Choice::at);
  return {at.row,        at.label,  outcome.on, outcome.looked, outcome.yes, choice->probability,
          line.reviewer, line.made, line.note,  line.rule};
}

// The fields of a decision under their names.
Json::Members fields_of(const ReviewedCell& cell, const Dataset& data) {
  return {{"item", data.ids.empty() ? std::to_string(cell.row) : data.ids[cell.row]},
          {"label", data.label_names[cell.label]},
          {"decision", cell.on ? 1 : 0},
          {"people", cell.looked},
          {"people_for", cell.yes},
          {"confidence", cell.probability},
          {"reviewer", cell.reviewer},
          {"made", cell.made},
          {"note", cell.note},
          {"rule", cell.rule}};
}

void write_csv_line(const ReviewedCell& cell, const Dataset& data, std::string& line) {
  append_csv_cell(line, data.ids.empty() ? std::to_string(cell.row) : data.ids[cell.row], ',');
  line += ',';
  append_csv_cell(line, data.label_names[cell.label], ',');
  line += (cell.on ? ",1," : ",0,") + std::to_string(cell.looked) + ',' + std::to_string(cell.yes) +
          ',' + (std::isnan(cell.probability) ? "" : Json(cell.probability).text());
  for (const std::string* text : {&cell.reviewer, &cell.made, &cell.note, &cell.rule}) {
    line += ',';
    append_csv_cell(line, *text, ',');
  }
  line += '\n';
}

// What became of the labels, without what anybody thinks of those that nobody decided.
ErrorLeft counts_of(const Reviewed& reviewed, const Dataset& data) {
  ErrorLeft left;
  std::size_t decided_ticks = 0, looked_on = 0;
  for (const ReviewedCell& cell : reviewed.cells) {
    const bool ticked = data.candidates.get(cell.row, cell.label), by_rule = cell.looked == 0;
    decided_ticks += ticked;
    left.removed += ticked && !cell.on && !by_rule;
    left.removed_by_rule += ticked && !cell.on && by_rule;
    left.by_rule += cell.on && by_rule;
    left.added_by_rule += cell.on && by_rule && !ticked;
    looked_on += cell.on && !by_rule;
  }
  left.pending = data.candidates.count() - decided_ticks;
  left.labels_on = left.pending + left.by_rule + looked_on;
  return left;
}

}  // namespace

Reviewed read_reviewed(const std::string& path, const Dataset& data) {
  const Decisions decisions = read_decision_log(path, data);
  Ledger ledger;
  for (const DecisionLine& line : decisions.lines) ledger.apply(line);
  Reviewed out;
  out.looks = ledger.looks();
  out.unknown_cells = decisions.unknown_cells;
  out.notes = decisions.notes;
  for (const auto& [at, outcome] : ledger.decided()) {
    out.cells.push_back(reviewed_cell(ledger, at, outcome));
    out.by_rule += outcome.looked == 0;
    out.disputed += outcome.disputed();
    for (const CellVerdict& verdict : ledger.last_words(at))
      if (verdict.kind == CellVerdict::Kind::Looked)
        out.by_reviewer.push_back(
            {at.row, at.label, verdict.on, ledger.reviewers()[verdict.reviewer]});
  }
  std::map<std::string, std::size_t> looks;
  for (const DecisionLine& line : decisions.lines)
    if (ledger.line(line.id) != nullptr && line.kind != DecisionLine::Kind::Skip &&
        line.kind != DecisionLine::Kind::Bulk)
      looks[line.reviewer] += line.choices.size();
  out.reviewers.assign(looks.begin(), looks.end());
  const LedgerAgreement agreement = ledger.agreement();
  out.pairs = agreement.pairs;
  out.same = agreement.same;
  for (const EstimateLine& one : decisions.estimates)
    out.past.emplace_back(
        one.decisions, Claim{.value = one.share,
                             .low = one.low,
                             .high = one.high,
                             .truth = ClaimTruth::Consensus,
                             .basis = one.low == one.high ? ClaimBasis::Audit : ClaimBasis::Guess,
                             .decisions = one.decisions,
                             .about = "wrong"});
  if (!out.past.empty()) out.wrong = out.past.back().second;
  if (const AuditClaimLine* audited = last_audit(decisions, data.candidates))
    out.wrong = audited_left(counts_of(out, data), *audited);
  return out;
}

AuditOnPage read_audit(const std::string& path, const Dataset& data) {
  const Decisions decisions = read_decision_log(path, data);
  Ledger ledger;
  for (const DecisionLine& line : decisions.lines) ledger.apply(line);
  AuditOnPage out;
  std::string last;  // an audit that was begun later counts instead
  for (const DecisionLine& line : decisions.lines)
    if (line.audited && parse_audit_code(line.audited->audit) && ledger.line(line.id) != nullptr)
      last = line.audited->audit;
  const std::optional<AuditCode> code = parse_audit_code(last);
  if (!code)
    throw Error(Failure::Data, "no audit was answered in this file", {path, 0, 0},
                "answer one on the page first");
  out.code = *code;
  for (const DecisionLine& line : decisions.lines) {
    if (!line.audited || line.audited->audit != last || ledger.line(line.id) == nullptr) continue;
    for (const Choice& choice : line.choices)
      out.answers.push_back({choice.at.row, choice.at.label, line.audited->pass,
                             line.kind == DecisionLine::Kind::Skip ? AuditAnswer::Unsure
                             : choice.on                           ? AuditAnswer::Right
                                                                   : AuditAnswer::Wrong});
  }
  return out;
}

AuditAnswers answers_of(const AuditOnPage& page, const Audit& audit) {
  AuditAnswers answers = AuditAnswers::none(audit);
  for (const AuditOnPage::Answer& one : page.answers) {
    const AuditQuestion* question = audit.find(one.row, one.label);
    if (question == nullptr)
      throw Error(Failure::Data, "an answer is about a cell that this audit did not ask");
    const auto place = static_cast<std::size_t>(question - audit.questions().data());
    answers.of_pass(one.pass)[place] = one.answer;
  }
  return answers;
}

void write_decisions(const Reviewed& reviewed, const Dataset& data, OutputStream& file, bool json) {
  if (!json)
    file.write("item,label,decision,people,people_for,confidence,reviewer,made,note,rule\n");
  std::string line;
  for (const ReviewedCell& cell : reviewed.cells) {
    line.clear();
    if (json)
      line = Json::object(fields_of(cell, data)).text() + "\n";
    else
      write_csv_line(cell, data, line);
    file.write(line);
  }
}

void write_label_studio(const Reviewed& reviewed, const Dataset& data, OutputStream& file) {
  LabelMatrix labels = data.candidates.clone();
  apply_decisions(reviewed, labels);
  std::vector<std::size_t> rows;
  for (const ReviewedCell& cell : reviewed.cells) rows.push_back(cell.row);
  write_label_studio(data,
                     added_annotations(reviewed.by_reviewer, labels, rows, nullptr, "not reviewed"),
                     {}, FileSystem::real(), file);
}

}  // namespace sieve
