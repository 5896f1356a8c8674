#include "decided.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "data/annotations/annotations_back.h"
#include "labelsieve/review.h"
#include "reading.h"

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

}  // namespace

std::vector<GoldCell> Decided::gold() const {
  std::vector<GoldCell> gold;
  for (const DecidedLabel& cell : cells)
    if (!cell.by_rule)
      gold.push_back(
          {static_cast<std::uint32_t>(cell.row), static_cast<std::uint32_t>(cell.label), cell.on});
  return gold;
}

std::size_t Decided::apply(LabelMatrix& labels) const {
  std::size_t changed = 0;
  for (const DecidedLabel& cell : cells) {
    changed += labels.get(cell.row, cell.label) != cell.on;
    labels.set(cell.row, cell.label, cell.on);
  }
  return changed;
}

const DecidedLabel* Decided::find(std::size_t row, std::size_t label) const {
  const auto at = std::ranges::lower_bound(cells, std::pair(row, label), {}, [](const auto& cell) {
    return std::pair(cell.row, cell.label);
  });
  const bool found = at != cells.end() && at->row == row && at->label == label;
  return found ? &*at : nullptr;
}

Decided decided_of(const Reviewed& reviewed) {
  Decided decided;
  for (const ReviewedCell& cell : reviewed.cells)
    decided.cells.push_back({cell.row, cell.label, cell.on, cell.looked == 0, cell.probability,
                             cell.reviewer, cell.made, cell.note});
  for (const ReviewerDecision& one : reviewed.by_reviewer)
    decided.by_reviewer.push_back({one.row, one.label, one.on, one.reviewer});
  return decided;
}

Decided read_decided(const Arguments& arguments, [[maybe_unused]] const Dataset& data,
                     [[maybe_unused]] std::vector<std::string>& notes) {
  Decided decided;
  if (!arguments.has("decisions")) return decided;
#ifdef LABELSIEVE_WEB
  const Reviewed reviewed = read_reviewed(arguments.text("decisions"), data);
  decided = decided_of(reviewed);
  notes.insert(notes.end(), reviewed.notes.begin(), reviewed.notes.end());
  if (reviewed.unknown_cells > 0)
    notes.push_back(fmt::format("{} decisions are about rows or labels that the data do not have",
                                reviewed.unknown_cells));
#else
  throw usage_error("this sieve was built without reviews", "build it with -DLABELSIEVE_WEB=ON");
#endif
  return decided;
}

namespace {

AddedAnnotations added(const Dataset& data, const Decided& decided, const StudioTasks& tasks) {
  std::vector<std::size_t> rows;
  for (const DecidedLabel& cell : decided.cells) rows.push_back(cell.row);
  for (std::size_t row = 0; row < data.rows() && tasks.all_rows; ++row) rows.push_back(row);
  const LabelMatrix none(data.rows(), data.labels());
  return added_annotations(decided.by_reviewer,
                           tasks.model_version.empty() ? none : data.candidates, rows,
                           tasks.probabilities, tasks.model_version);
}

}  // namespace

void write_tasks(const Arguments& arguments, const Dataset& data, const Decided& decided,
                 const StudioTasks& tasks, OutputStream& out, std::vector<std::string>& notes) {
  const AddedAnnotations what = added(data, decided, tasks);
  write_label_studio(data, what, annotation_options_of(arguments), FileSystem::real(), out);
  if (const auto unknown = unknown_to_label_studio(what); !unknown.empty())
    notes.push_back(
        fmt::format("Label Studio knows annotators by number or e-mail address, which these are "
                    "not: {}",
                    joined(unknown, ", ")));
}

void write_back(const Arguments& arguments, const Dataset& data, const Decided& decided,
                const StudioTasks& tasks, OutputStream& out, std::vector<std::string>& notes) {
  write_annotations_back(data, added(data, decided, tasks), annotation_options_of(arguments),
                         FileSystem::real(), out, notes);
}

void check_layout(const Arguments& arguments, const std::string& layout) {
  const std::string is =
      layout_of_annotations(annotation_options_of(arguments), FileSystem::real());
  const auto& known = layouts_written_back();
  if (is.empty()) throw usage_error("there are no annotations to write back", "give --annotations");
  if (layout.empty() ? std::ranges::find(known, is) == known.end() : is != layout)
    throw usage_error(
        fmt::format("the annotations are of the layout '{}'{}", is,
                    layout.empty() ? ", which is not written back" : ", not '" + layout + "'"),
        layout.empty() ? "these are: " + joined(known, ", ") : "say --to " + is);
}

Option with_option() {
  return list("with", "NAMES",
              "columns to write beside each label: probability, was, decided_by, decided_at, note");
}

std::vector<ColumnBeside> columns_beside(const Arguments& arguments, const Dataset& data,
                                         const LabelMatrix& before,
                                         const CandidateScores* probabilities,
                                         const Decided& decided) {
  const auto of_decision = [&](auto take) {
    return [&decided, take](std::size_t row, std::size_t label) -> std::string {
      const DecidedLabel* cell = decided.find(row, label);
      return cell == nullptr ? "" : take(*cell);
    };
  };
  const std::vector<Beside> all = {
      {"probability",
       [&decided, probabilities](std::size_t row, std::size_t label) -> std::string {
         const DecidedLabel* cell = decided.find(row, label);
         if (probabilities == nullptr)
           return cell == nullptr ? "" : probability_text(cell->probability);
         // Nothing is known of labels that nobody assigned.
         return probabilities->candidates().get(row, label)
                    ? probability_text((*probabilities)(row, label))
                    : "";
       }},
      {"was",
       [&before](std::size_t row, std::size_t label) {
         return std::string(before.get(row, label) ? "1" : "0");
       }},
      {"decided_by", of_decision([](const DecidedLabel& cell) { return cell.by; })},
      {"decided_at", of_decision([](const DecidedLabel& cell) { return cell.at; })},
      {"note", of_decision([](const DecidedLabel& cell) { return cell.note; })}};
  std::vector<ColumnBeside> columns;
  for (const std::string& name : arguments.list("with")) {
    const Beside& one = row_named(all, name, "column to write beside labels");
    for (std::size_t label = 0; label < data.labels(); ++label)
      columns.push_back({name + ":" + data.label_names[label],
                         [cell = one.cell, label](std::size_t row) { return cell(row, label); }});
  }
  return columns;
}

}  // namespace sieve
