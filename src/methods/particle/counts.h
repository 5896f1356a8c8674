#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// What PARTICLE-MAP knows of each label: how often it is right, and how many pairs it wins when it
// is right and when it is not.
struct WinCounts {
  std::vector<double> prior;  // one per label
  MatrixD right, wrong;       // labels x labels: P(wins of the label | right), P(wins | not right)

  // P(right | wins)
  double posterior(std::size_t label, std::size_t wins) const;
};

// wins: rows x labels, each 0 ... labels - 1, of rows that the classifiers have not seen. Credible
// labels count as right, those outside the candidates as not right; `smoothing` is added to every
// count.
WinCounts count_wins(const BasicMatrix<std::size_t>& wins, const LabelMatrix& candidates,
                     const LabelMatrix& credible, double smoothing);

}  // namespace sieve
