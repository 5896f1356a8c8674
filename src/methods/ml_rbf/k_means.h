#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// Squared Euclidean distances from rows to centres, in float64; sparse rows stay sparse. Keeps a
// reference to the rows.
class Distances {
 public:
  Distances(const Features& x, const MatrixD& centres);

  std::vector<double> room() const;  // for the distances of one row: one a centre, and padding
  void squares(std::size_t row, std::span<double> out) const;

 private:
  const Features& x_;
  MatrixD columns_;              // features x centres, padded
  std::vector<double> lengths_;  // squared, one a centre, padded
};

struct Clusters {
  MatrixD centres;                   // clusters x features
  std::vector<std::size_t> cluster;  // of each row; none is empty
  std::vector<double> inertia;       // sum of squared distances, a round; never rises
};

// Lloyd's algorithm from a k-means++ start. 1 <= clusters <= rows. A cluster that loses all its
// rows takes over the row that is farthest from its centre. Ends when a round lowers the inertia by
// less than a ten-thousandth, or after `most_rounds`. The same bits for any number of threads.
Clusters k_means(const Features& x, std::size_t clusters, Random random, ThreadPool& pool,
                 std::size_t most_rounds = 100);

}  // namespace sieve
