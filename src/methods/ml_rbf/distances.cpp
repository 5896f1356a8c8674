#include "methods/ml_rbf/distances.h"

#include <algorithm>

#include "linalg/entries.h"
#include "linalg/row_products.h"

namespace sieve {

Distances::Distances(const Features& x, const MatrixD& centres)
    : x_(x), columns_(x.cols(), padded_eight(centres.rows())), lengths_(columns_.cols()) {
  for (std::size_t c = 0; c < centres.rows(); ++c)
    for (std::size_t j = 0; j < x.cols(); ++j) {
      columns_(j, c) = centres(c, j);
      lengths_[c] += centres(c, j) * centres(c, j);
    }
}

std::vector<double> Distances::room() const {
  return std::vector<double>(columns_.cols());
}

void Distances::squares(std::size_t row, std::span<double> out) const {
  row_times(x_, row, columns_, out);
  double length = 0;
  for_each_entry(x_, row, [&](std::size_t, double value) { length += value * value; });
  for (std::size_t c = 0; c < out.size(); ++c)
    out[c] = std::max(0.0, length - 2 * out[c] + lengths_[c]);
}

}  // namespace sieve
