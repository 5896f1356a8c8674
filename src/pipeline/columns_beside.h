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

// Columns to write beside each label: probability, was, decided_by, decided_at, note. Error(Usage)
// for another name.
std::vector<ColumnBeside> columns_beside(const std::vector<std::string>& names,
                                         const BesideLabels& labels);

}  // namespace sieve
