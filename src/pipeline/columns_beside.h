#pragma once

#include <string>
#include <vector>

#include "data/table_source.h"
#include "labelsieve/review.h"

namespace sieve {

// What is known of the labels that are written.
struct BesideLabels {
  const Dataset& data;
  const LabelMatrix& before;                       // the labels as they came
  const CandidateScores* probabilities = nullptr;  // null: those of the decided cells alone
  const Reviewed& reviewed;
};

// The columns that there are: probability, was, decided_by, decided_at, note.
const std::vector<std::string>& names_beside();
// Columns to write beside each label. Error(Usage) for another name.
std::vector<ColumnBeside> columns_beside(const std::vector<std::string>& names,
                                         const BesideLabels& labels);
// The same for a table of these rows alone, which have to stay.
std::vector<ColumnBeside> columns_of_rows(std::vector<ColumnBeside> columns,
                                          const std::vector<std::size_t>& rows);

}  // namespace sieve
