#include "pipeline/columns_beside.h"

#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/named_rows.h"

namespace sieve {
namespace {

// What can stand beside a label: the cell of a row and a label.
struct Beside {
  std::string name;
  std::function<std::string(const BesideLabels& labels, std::size_t row, std::size_t label)> cell;
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

const std::vector<Beside>& all_beside() {
  const auto of_decision = [](std::string ReviewedCell::*part) {
    return [part](const BesideLabels& labels, std::size_t row, std::size_t label) {
      const ReviewedCell* cell = labels.reviewed.find(row, label);
      return cell == nullptr ? std::string() : cell->*part;
    };
  };
  static const std::vector<Beside> table = {
      {"probability", probability_of},
      {"was",
       [](const BesideLabels& labels, std::size_t row, std::size_t label) {
         return std::string(labels.before.get(row, label) ? "1" : "0");
       }},
      {"decided_by", of_decision(&ReviewedCell::reviewer)},
      {"decided_at", of_decision(&ReviewedCell::made)},
      {"note", of_decision(&ReviewedCell::note)}};
  return table;
}

}  // namespace

const std::vector<std::string>& names_beside() {
  static const std::vector<std::string> names = names_of(all_beside());
  return names;
}

std::vector<ColumnBeside> columns_beside(const std::vector<std::string>& names,
                                         const BesideLabels& labels) {
  std::vector<ColumnBeside> columns;
  for (const std::string& name : names) {
    const Beside& one = row_named(all_beside(), name, "column to write beside labels");
    for (std::size_t label = 0; label < labels.data.labels(); ++label)
      columns.push_back({name + ":" + labels.data.label_names[label],
                         [&cell = one.cell, labels, label](std::size_t row) {
                           return cell(labels, row, label);
                         }});
  }
  return columns;
}

std::vector<ColumnBeside> columns_of_rows(std::vector<ColumnBeside> columns,
                                          const std::vector<std::size_t>& rows) {
  for (ColumnBeside& column : columns)
    column.cell = [cell = std::move(column.cell), &rows](std::size_t row) {
      return cell(rows[row]);
    };
  return columns;
}

}  // namespace sieve
