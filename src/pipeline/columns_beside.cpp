#include "pipeline/columns_beside.h"

#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "base/named_rows.h"

namespace sieve {
namespace {

// What can stand beside a label: the cell of a row and a label.
struct Beside {
  std::string name;
  std::function<std::string(std::size_t row, std::size_t label)> cell;
};

std::string probability_text(double probability) {
  return std::isnan(probability) ? "" : fmt::format("{:.6g}", probability);
}

// Nothing is known of labels that nobody assigned.
std::string probability_of(const BesideLabels& labels, std::size_t row, std::size_t label) {
  if (const CandidateScores* all = labels.probabilities)
    return all->candidates().get(row, label) ? probability_text((*all)(row, label)) : "";
  const ReviewedCell* cell = labels.reviewed.find(row, label);
  return cell == nullptr ? "" : probability_text(cell->probability);
}

}  // namespace

std::vector<ColumnBeside> columns_beside(const std::vector<std::string>& names,
                                         const BesideLabels& labels) {
  const auto of_decision = [&](std::string ReviewedCell::*part) {
    return [&reviewed = labels.reviewed, part](std::size_t row, std::size_t label) {
      const ReviewedCell* cell = reviewed.find(row, label);
      return cell == nullptr ? std::string() : cell->*part;
    };
  };
  const std::vector<Beside> all = {
      {"probability",
       [labels](std::size_t row, std::size_t label) { return probability_of(labels, row, label); }},
      {"was",
       [&before = labels.before](std::size_t row, std::size_t label) {
         return std::string(before.get(row, label) ? "1" : "0");
       }},
      {"decided_by", of_decision(&ReviewedCell::reviewer)},
      {"decided_at", of_decision(&ReviewedCell::made)},
      {"note", of_decision(&ReviewedCell::note)}};
  std::vector<ColumnBeside> columns;
  for (const std::string& name : names) {
    const Beside& one = row_named(all, name, "column to write beside labels");
    for (std::size_t label = 0; label < labels.data.labels(); ++label)
      columns.push_back({name + ":" + labels.data.label_names[label],
                         [cell = one.cell, label](std::size_t row) { return cell(row, label); }});
  }
  return columns;
}

}  // namespace sieve
