#pragma once

#include <cstdint>
#include <vector>

#include "labelsieve/matrix.h"
#include "methods/pml_lc_fp/confidence_step.h"
#include "methods/pml_lc_fp/pair_ranker.h"
#include "methods/shared/fit_support.h"

namespace sieve {

struct AlternationSettings {
  std::size_t rounds = 20;  // at most
  double tolerance = 1e-3;  // a round that lowers the objective by less than this share is the last
  std::size_t passes = 50;  // at most, in a W-step
  double gap = 1e-2;        // relative duality gap at which a W-step ends
  std::uint64_t seed = 1;
};

struct AlternationResult {
  MatrixD weights;                 // features x labels
  std::vector<double> bias;        // one per label
  std::vector<double> confidence;  // one per candidate of all rows
  std::vector<double> objective;   // after each W-step and each P-step; never rises
  std::size_t passes = 0;
};

// Minimises the objective of PML-LC or PML-FP over weights and confidences in turn, from full
// confidence in every candidate.
AlternationResult alternate(const ScaledRows& rows, const CandidateLists& lists,
                            const ConfidenceTerms& terms, const AlternationSettings& settings,
                            FitRun& run);

}  // namespace sieve
