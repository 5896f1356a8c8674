#include "pipeline/reviewed_labels.h"

#include <algorithm>
#include <utility>

#include "base/named_rows.h"

namespace sieve {
namespace {

// Whether somebody decided something of the row, and every tick of it.
bool is_decided(const Dataset& data, const Reviewed& reviewed, std::size_t row) {
  const auto first = std::ranges::lower_bound(reviewed.cells, row, {}, &ReviewedCell::row);
  bool all = first != reviewed.cells.end() && first->row == row;
  data.candidates.for_each(
      row, [&](std::size_t label) { all = all && reviewed.find(row, label) != nullptr; });
  return all;
}

}  // namespace

const std::vector<std::string>& undecided_names() {
  static const std::vector<std::string> names = {"keep", "machine", "drop"};
  return names;
}

std::string undecided_name(Undecided undecided) {
  return undecided_names()[static_cast<std::size_t>(undecided)];
}

Undecided undecided_named(const std::string& name) {
  const auto place = std::ranges::find(undecided_names(), name);
  if (place == undecided_names().end()) throw no_such("choice", name, undecided_names());
  return static_cast<Undecided>(place - undecided_names().begin());
}

ReviewedLabels reviewed_labels(const Dataset& data, const Reviewed& reviewed, Undecided undecided,
                               const LabelMatrix* kept) {
  ReviewedLabels out{data.clone()};
  if (undecided == Undecided::Machine) out.data.candidates = kept->clone();
  apply_decisions(reviewed, out.data.candidates);
  for (std::size_t row = 0; row < data.rows(); ++row)
    if (undecided != Undecided::Drop || is_decided(data, reviewed, row)) out.rows.push_back(row);
  if (out.rows.size() < data.rows()) out.data = out.data.select_rows(out.rows);
  return out;
}

AddedAnnotations added_decisions(const Dataset& data, const Reviewed& reviewed,
                                 const Predictions& predictions) {
  std::vector<std::size_t> rows;
  for (const ReviewedCell& cell : reviewed.cells) rows.push_back(cell.row);
  for (std::size_t row = 0; row < data.rows() && predictions.all_rows; ++row) rows.push_back(row);
  const LabelMatrix none(data.rows(), data.labels());
  return added_annotations(reviewed.by_reviewer,
                           predictions.version.empty() ? none : data.candidates, rows,
                           predictions.probabilities, predictions.version);
}

AddedAnnotations decisions_written_back(const Dataset& data, const Reviewed& reviewed,
                                        Predictions predictions) {
  std::erase(predictions.version, ',');
  return added_decisions(data, reviewed, predictions);
}

}  // namespace sieve
