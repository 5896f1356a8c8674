#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

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
