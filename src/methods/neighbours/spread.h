#pragma once

#include <cstdint>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// Which rows are alike: each is tied to its nearest ones, more strongly the nearer they are for
// rows so far apart from others.
class RowGraph {
 public:
  static constexpr std::size_t kNeighbours = 30;
  static constexpr double kTiniest = 1e-9;  // distance

  // Of two rows at least.
  RowGraph(const Features& rows, ThreadPool& pool, Progress& progress);

  // What `given` (rows x labels) becomes when every row again and again takes over most of what its
  // neighbours say, and keeps some of its own. The same bits for any number of threads.
  Matrix spread(const Matrix& given, ThreadPool& pool) const;

 private:
  std::vector<std::size_t> starts_;  // of each row's ties
  std::vector<std::uint32_t> to_;
  std::vector<float> strength_;
};

// The mean of what the nearest of `points` say (points x labels), the nearer the more.
Matrix mean_of_neighbours(const Features& rows, const Features& points, const Matrix& said,
                          ThreadPool& pool);

}  // namespace sieve
