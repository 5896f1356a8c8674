#pragma once

#include <string>
#include <vector>

#include "json.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// How often a label is true, decided, and both. Quotients are NaN where there is nothing to divide.
struct LabelMeasures {
  std::size_t truth = 0, decided = 0, right = 0;
  double precision() const;
  double recall() const;
  double f1() const;
};
// Without decisions only `truth` is counted.
std::vector<LabelMeasures> count_labels(const LabelMatrix& truth, const LabelMatrix* decisions);

// Precision, recall, F1 and AUC of every label, as a table and as JSON. Scores and decisions may be
// null; what they would give is then left open.
struct LabelReport {
  std::string text;
  Json json;
};
LabelReport report_by_label(const std::vector<std::string>& names, const LabelMatrix& truth,
                            const MatrixD* scores, const LabelMatrix* decisions);

}  // namespace sieve
