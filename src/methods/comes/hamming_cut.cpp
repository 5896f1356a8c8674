#include "methods/comes/hamming_cut.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace sieve {

double best_hamming_cut(const Matrix& scores, const LabelMatrix& candidates,
                        const NoiseModel& noise) {
  std::vector<std::pair<float, float>> cells;  // score, what being on costs
  cells.reserve(scores.rows() * scores.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k)
      cells.emplace_back(scores(i, k), candidates.get(i, k) ? -1.0F : 2 / (1 - noise.rate[k]) - 1);
  std::ranges::sort(cells, std::greater<>());
  if (cells.empty()) return 0.5;
  double cost = 0, least = 0, cut = std::numeric_limits<float>::infinity();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    cost += static_cast<double>(cells[c].second);
    const bool last = c + 1 == cells.size();
    if (cost >= least || (!last && cells[c + 1].first == cells[c].first)) continue;
    least = cost;
    cut = last ? cells[c].first : (cells[c].first + cells[c + 1].first) / 2;
  }
  return cut;
}

}  // namespace sieve
