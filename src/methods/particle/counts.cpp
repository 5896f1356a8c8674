#include "methods/particle/counts.h"

#include <numeric>

namespace sieve {
namespace {

void make_shares(MatrixD& counts) {
  for (std::size_t j = 0; j < counts.rows(); ++j) {
    const std::span<double> row = counts.row(j);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& count : row) count /= sum;
  }
}

}  // namespace

double WinCounts::posterior(std::size_t label, std::size_t wins) const {
  const double yes = prior[label] * right(label, wins);
  return yes / (yes + (1 - prior[label]) * wrong(label, wins));
}

WinCounts count_wins(const BasicMatrix<std::size_t>& wins, const LabelMatrix& candidates,
                     const LabelMatrix& credible, double smoothing) {
  const std::size_t labels = candidates.labels();
  WinCounts out{std::vector<double>(labels), MatrixD(labels, labels), MatrixD(labels, labels)};
  const std::vector<std::size_t> credible_rows = credible.label_counts();
  for (std::size_t j = 0; j < labels; ++j) {
    out.prior[j] = (smoothing + static_cast<double>(credible_rows[j])) /
                   (2 * smoothing + static_cast<double>(candidates.rows()));
    for (std::size_t r = 0; r < labels; ++r) out.right(j, r) = out.wrong(j, r) = smoothing;
    for (std::size_t i = 0; i < candidates.rows(); ++i) {
      if (credible.get(i, j)) ++out.right(j, wins(i, j));
      if (!candidates.get(i, j)) ++out.wrong(j, wins(i, j));
    }
  }
  make_shares(out.right);
  make_shares(out.wrong);
  return out;
}

}  // namespace sieve
