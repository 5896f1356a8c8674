#include "review/ledger.h"

#include <algorithm>

#include "base/format_text.h"

namespace sieve {
namespace {

CellVerdict::Kind verdict_kind(DecisionLine::Kind kind) {
  switch (kind) {
    case DecisionLine::Kind::Bulk:
      return CellVerdict::Kind::Rule;
    case DecisionLine::Kind::Skip:
      return CellVerdict::Kind::Skipped;
    default:
      return CellVerdict::Kind::Looked;
  }
}

}  // namespace

double LedgerAgreement::share() const {
  return share_of(same, pairs);
}

std::uint32_t Ledger::reviewer(const std::string& name) {
  const auto [found, is_new] =
      numbers_.emplace(name, static_cast<std::uint32_t>(reviewers_.size()));
  if (is_new) {
    reviewers_.push_back(name);
    stacks_.emplace_back();
  }
  return found->second;
}

void Ledger::apply(const DecisionLine& line) {
  by_nonce_.emplace(line.nonce, line.id);
  const std::uint32_t who = reviewer(line.reviewer);
  if (line.kind == DecisionLine::Kind::Undo) return take_back(line.undoes);
  const CellVerdict::Kind kind = verdict_kind(line.kind);
  for (const Choice& choice : line.choices)
    verdicts_[choice.at].push_back({line.id, who, kind, choice.on});
  if (kind == CellVerdict::Kind::Looked) {
    looks_ += line.choices.size();
    for (const Choice& choice : line.choices)
      rows_of_label_[choice.at.label].push_back(choice.at.row);
  }
  stacks_[who].push_back(line.id);
  lines_.emplace(line.id, line);
}

void Ledger::take_back(std::uint64_t id) {
  const auto found = lines_.find(id);
  if (found == lines_.end()) return;
  const DecisionLine& line = found->second;
  for (const Choice& choice : line.choices) {
    const auto cell = verdicts_.find(choice.at);
    std::erase_if(cell->second, [&](const CellVerdict& verdict) { return verdict.line == id; });
    if (cell->second.empty()) verdicts_.erase(cell);
  }
  if (verdict_kind(line.kind) == CellVerdict::Kind::Looked) looks_ -= line.choices.size();
  std::erase(stacks_[reviewer(line.reviewer)], id);
  lines_.erase(found);
}

std::vector<CellVerdict> Ledger::last_words(Cell at) const {
  std::vector<CellVerdict> last;
  const auto found = verdicts_.find(at);
  if (found == verdicts_.end()) return last;
  for (const CellVerdict& verdict : found->second) {
    std::erase_if(last,
                  [&](const CellVerdict& other) { return other.reviewer == verdict.reviewer; });
    last.push_back(verdict);
  }
  return last;
}

Outcome Ledger::outcome(Cell at) const {
  Outcome out;
  if (verdicts_.find(at) == verdicts_.end()) return out;
  bool latest = false, by_rule = false;
  for (const CellVerdict& verdict : last_words(at)) {
    if (verdict.kind == CellVerdict::Kind::Looked) {
      ++out.looked;
      out.yes += verdict.on;
      latest = verdict.on;
    } else if (verdict.kind == CellVerdict::Kind::Rule) {
      out.by_rule = true;
      by_rule = verdict.on;
    }
  }
  out.on = out.looked == 0             ? by_rule
           : 2 * out.yes == out.looked ? latest
                                       : 2 * out.yes > out.looked;
  return out;
}

bool Ledger::has_spoken(Cell at, std::uint32_t reviewer) const {
  const auto found = verdicts_.find(at);
  return found != verdicts_.end() &&
         std::ranges::any_of(found->second, [&](const CellVerdict& verdict) {
           return verdict.reviewer == reviewer && verdict.kind != CellVerdict::Kind::Rule;
         });
}

bool Ledger::has_skipped(Cell at, std::uint32_t reviewer) const {
  return std::ranges::any_of(last_words(at), [&](const CellVerdict& verdict) {
    return verdict.reviewer == reviewer && verdict.kind == CellVerdict::Kind::Skipped;
  });
}

bool Ledger::is_noted(std::uint32_t row) const {
  for (auto at = verdicts_.lower_bound({row, 0}); at != verdicts_.end() && at->first.row == row;
       ++at)
    for (const CellVerdict& verdict : at->second)
      if (!lines_.at(verdict.line).note.empty()) return true;
  return false;
}

std::uint64_t Ledger::last_line(std::uint32_t reviewer) const {
  return reviewer < stacks_.size() && !stacks_[reviewer].empty() ? stacks_[reviewer].back() : 0;
}

const DecisionLine* Ledger::line(std::uint64_t id) const {
  const auto found = lines_.find(id);
  return found == lines_.end() ? nullptr : &found->second;
}

std::vector<std::pair<Cell, Outcome>> Ledger::decided() const {
  std::vector<std::pair<Cell, Outcome>> cells;
  for (const auto& [at, verdicts] : verdicts_)
    if (const Outcome out = outcome(at); out.decided()) cells.emplace_back(at, out);
  return cells;
}

std::vector<DecidedCell> Ledger::decided(const ReviewCells& cells) const {
  std::vector<DecidedCell> found;
  for (const auto& [at, outcome] : decided())
    if (const std::size_t cell = cells.find(at); cell != ReviewCells::npos)
      found.push_back({cell, outcome});
  return found;
}

std::vector<std::size_t> Ledger::rows_decided(std::uint32_t label, std::size_t most) const {
  std::vector<std::size_t> rows;
  const auto found = rows_of_label_.find(label);
  if (found == rows_of_label_.end()) return rows;
  for (auto row = found->second.rbegin(); row != found->second.rend() && rows.size() < most; ++row)
    if (outcome({*row, label}).looked > 0) rows.push_back(*row);
  return rows;
}

LedgerAgreement Ledger::agreement() const {
  LedgerAgreement all;
  for (const auto& [at, verdicts] : verdicts_) {
    if (verdicts.size() < 2) continue;
    const Outcome out = outcome(at);
    if (out.looked < 2) continue;
    const std::size_t no = out.looked - out.yes;
    ++all.cells;
    all.pairs += out.looked * (out.looked - 1) / 2;
    all.same += (out.yes * (out.yes - 1) + no * (no - 1)) / 2;
  }
  return all;
}

Ledger ledger_of(const Decisions& decisions) {
  Ledger ledger;
  for (const DecisionLine& line : decisions.lines) ledger.apply(line);
  return ledger;
}

}  // namespace sieve
