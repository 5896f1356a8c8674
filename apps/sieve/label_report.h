#pragma once

#include <string>
#include <vector>

#include "json.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// Precision, recall, F1 and AUC of every label, as a table and as JSON. Scores and decisions may be
// null; what they would give is then left open.
struct LabelReport {
  std::string text;
  Json json;
};
LabelReport report_by_label(const std::vector<std::string>& names, const LabelMatrix& truth,
                            const MatrixD* scores, const LabelMatrix* decisions);

}  // namespace sieve
