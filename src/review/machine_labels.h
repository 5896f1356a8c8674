#pragma once

#include <span>
#include <vector>

#include "labelsieve/pipeline.h"
#include "labelsieve/review.h"
#include "review/cell_probabilities.h"
#include "review/cells.h"
#include "review/ledger.h"

// The labels that the machine gives where nobody decided: the page and the command write the same.
namespace sieve {

struct MachineLabels {
  LabelMatrix kept;
  CandidateScores probabilities;
};

// The judged data without all that is not needed for this.
Judged labels_alone(Judged judged);

// As clean() does it by default, after the probabilities were learnt from what people decided;
// without decisions, they are those of the judge.
MachineLabels machine_labels(const Judged& judged, const ReviewCells& cells,
                             std::span<const DecidedCell> decided);

// What reviewers decided of the cells of a review, and the machine learns from. What only an audit
// of other labels than those of the data asked, of cleaned ones, teaches nothing: else these labels
// would change under its claim.
std::vector<DecidedCell> decided_cells(const Decisions& decisions, const Dataset& data,
                                       const ReviewCells& cells);

// The trust that the judge deserves.
Trust trust_in(const Judged& judged);

}  // namespace sieve
