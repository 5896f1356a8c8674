#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// Annotators of differing skill who look at rows whose labels are known. `hardness` is by how much
// the log-odds of a tick differ from cell to cell, for all annotators alike.
struct CrowdPlan {
  std::size_t rows = 1500, annotators = 10, labels = 6, annotations = 4;
  double frequency = 0.25;
  double hardness = 0;
  double sharpness = 1.5;  // how far apart the scores of right and other labels are
  std::uint64_t seed = 1;
};

struct SimulatedCrowd {
  Votes votes;
  LabelMatrix truth;
  Matrix scores;                                                      // as of a fair predictor
  std::vector<std::vector<double>> sensitivity, false_positive_rate;  // annotators x labels
};
SimulatedCrowd simulate_crowd(const CrowdPlan& plan);

// Area under the ROC curve over the cells of `among`, by the probability.
double area_among(const Matrix& probabilities, const LabelMatrix& truth, const LabelMatrix& among);

// Mean of |claimed - real| over ten classes of cells of `among`.
double calibration_error(const Matrix& probabilities, const LabelMatrix& truth,
                         const LabelMatrix& among);

std::vector<std::string> names(std::size_t count);

}  // namespace sieve
