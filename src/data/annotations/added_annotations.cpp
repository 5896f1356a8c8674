#include "data/annotations/added_annotations.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sieve {

AddedAnnotations added_annotations(const std::vector<ReviewerDecision>& decisions,
                                   const LabelMatrix& labels, const std::vector<std::size_t>& rows,
                                   const CandidateScores* probabilities,
                                   const std::string& model_version) {
  std::map<std::size_t, std::map<std::string, AddedToRow::Annotation>> by_row;
  for (const std::size_t row : rows) by_row[row];
  LabelMatrix left = labels.clone();  // that nobody looked at
  for (const ReviewerDecision& one : decisions) {
    AddedToRow::Annotation& said = by_row[one.row][one.reviewer];
    (one.on ? said.labels : said.rejected).push_back(one.label);
    left.set(one.row, one.label, false);
  }
  AddedAnnotations out{.model_version = model_version};
  for (auto& [row, by_reviewer] : by_row) {
    AddedToRow one{.row = row};
    for (auto& [reviewer, said] : by_reviewer) {
      said.by = reviewer;
      one.annotations.push_back(std::move(said));
    }
    left.for_each(row, [&](std::size_t label) {
      one.predicted.push_back(label);
      if (probabilities != nullptr)
        one.score = std::min<double>(one.score.value_or(1), (*probabilities)(row, label));
    });
    out.rows.push_back(std::move(one));
  }
  return out;
}

}  // namespace sieve
