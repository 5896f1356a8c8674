#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "labelsieve/matrix.h"
#include "methods/shared/targets.h"

namespace sieve {

// What a regression on candidates says of a label becomes the probability that it is right:
// log-odds = offset + slope * said.
struct EvidenceLine {
  std::vector<float> offset;  // one per label
  float slope = 0;

  void make_probabilities(Matrix& said) const;
};

// How often labels are candidates, as far as they surely differ in that.
std::vector<double> label_frequencies(const Targets& targets);

// `said` of rows that were held out, which stand at `rows` among the targets: offsets are what
// frequencies and rates of noise say, the slope makes the targets most likely.
EvidenceLine fit_evidence_line(const Matrix& said, const Targets& targets,
                               std::span<const std::size_t> rows, std::span<const double> frequency,
                               std::span<const float> rates);

}  // namespace sieve
