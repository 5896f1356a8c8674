#include "pipeline/judge_votes.h"

#include <algorithm>
#include <vector>

#include "linalg/ridge.h"
#include "methods/shared/fit_support.h"

namespace sieve {
namespace {

constexpr double kPenalty = 2;
// Into folds. Few splits leave the weight of features for rare labels to luck; small tables have
// more, because they cost next to nothing there.
constexpr std::size_t kFewestSplits = 4, kMostSplits = 16, kCellsOfAllSplits = 2'000'000;

std::size_t splits_of(std::size_t rows, std::size_t cols) {
  const std::size_t cells = std::max<std::size_t>(1, rows * cols);
  return std::clamp(kCellsOfAllSplits / cells, kFewestSplits, kMostSplits);
}

Matrix rows_of(const Matrix& all, std::span<const std::size_t> rows) {
  Matrix out(rows.size(), all.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(all.row(rows[i]), out.row(i).begin());
  return out;
}

// Adds what a regression of the others says of these rows, which counts so much.
void add_scores(const Features& x, const Matrix& targets, std::span<const std::size_t> others,
                std::span<const std::size_t> rows, double weight, ThreadPool& pool,
                Matrix& scores) {
  const MatrixD weights =
      fit_scaled_ridge(x.subset(others), rows_of(targets, others), kPenalty, pool);
  pool.for_blocks(rows.size(), 512, [&](std::size_t first, std::size_t last) {
    std::vector<double> found(targets.cols());
    for (std::size_t k = first; k < last; ++k) {
      ridge_scores(weights, x, rows[k], found);
      for (std::size_t l = 0; l < found.size(); ++l)
        scores(rows[k], l) += static_cast<float>(weight * found[l]);
    }
  });
}

}  // namespace

Matrix linear_scores(const TrainingData& data, std::span<const std::size_t> learn,
                     const Matrix& targets, std::size_t folds, const FitOptions& fit) {
  FitRun run(fit);
  const Features x = learnable(data.without_votes(), RowWeights::Used).features;
  std::vector<bool> learnt_from(data.rows());
  for (const std::size_t row : learn) learnt_from[row] = true;
  Matrix scores(data.rows(), targets.cols());
  folds = std::min(folds, learn.size());
  const std::size_t splits = splits_of(learn.size(), x.cols());
  run.begin("regressions", splits * folds);
  for (std::size_t split = 0; split < splits; ++split) {
    const auto parts = folds_random(learn.size(), folds, fit.seed * kMostSplits + split);
    for (std::size_t part = 0; part < folds; ++part) {
      std::vector<std::size_t> others, judged;
      for (const std::size_t k : split_of_fold(parts, part).train) others.push_back(learn[k]);
      for (const std::size_t k : parts[part]) judged.push_back(learn[k]);
      for (std::size_t row = 0; part == 0 && row < data.rows(); ++row)
        if (!learnt_from[row]) judged.push_back(row);
      add_scores(x, targets, others, judged, 1 / static_cast<double>(splits), run.pool(), scores);
      run.update(split * folds + part + 1);
    }
  }
  run.end();
  return scores;
}

}  // namespace sieve
