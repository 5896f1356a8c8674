#include "methods/capml/regression.h"

#include <algorithm>
#include <cmath>

#include "linalg/dense.h"

namespace sieve {
namespace {

constexpr double kSettled = 1e-5;
constexpr double kShortest = 1e-8;  // keeps the weight of an empty row finite

double length(std::span<const double> row) {
  double sum = 0;
  for (const double value : row) sum += value * value;
  return std::sqrt(sum);
}

double squared_distance(const MatrixD& a, const MatrixD& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.cols(); ++k) sum += (a(i, k) - b(i, k)) * (a(i, k) - b(i, k));
  return sum;
}

// (K'K + b D)^-1 K'R with D = 1 / (2 |w_i|): an upper bound of the norm that touches it at W.
MatrixD reweighted(const MatrixD& gram, const MatrixD& right, const MatrixD& weights, double b) {
  MatrixD system = gram.clone();
  for (std::size_t i = 0; i < system.rows(); ++i)
    system(i, i) += b / (2 * length(weights.row(i)) + kShortest);
  return solve_positive(system, right);
}

double objective(const CorrectionProblem& problem, const CorrectedLabels& at,
                 const MatrixD& scores) {
  double sum = squared_distance(scores, at.labels);
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k) {
      const double change = at.labels(i, k) - problem.candidates(i, k);
      const double held = problem.reliability(i, k) * change;
      sum += held * held + problem.a * std::abs(change);
    }
  for (std::size_t i = 0; i < at.weights.rows(); ++i) sum += problem.b * length(at.weights.row(i));
  return sum;
}

MatrixD all_corrected(const CorrectionProblem& problem, const MatrixD& scores) {
  MatrixD labels(scores.rows(), scores.cols());
  for (std::size_t i = 0; i < labels.rows(); ++i)
    for (std::size_t k = 0; k < labels.cols(); ++k)
      labels(i, k) = corrected_label(problem.candidates(i, k), scores(i, k),
                                     problem.reliability(i, k), problem.a);
  return labels;
}

}  // namespace

double corrected_label(double candidate, double score, double reliability, double a) {
  const double gap = candidate - score;
  const double soft = std::copysign(std::max(0.0, std::abs(gap) - a / 2), gap);
  return std::max(0.0, candidate - soft / (1 + reliability * reliability));
}

CorrectedLabels correct_labels(const CorrectionProblem& problem, std::size_t rounds, FitRun& run) {
  const MatrixD& inputs = problem.inputs;
  const MatrixD gram = transposed_times(inputs, inputs, run.pool());
  CorrectedLabels at{
      MatrixD(inputs.cols(), problem.candidates.cols()), problem.candidates.clone(), {}};
  for (std::size_t i = 0; i < at.weights.rows(); ++i) std::ranges::fill(at.weights.row(i), 1.0);
  run.until(1);
  run.begin("correcting labels", rounds);
  for (std::size_t round = 0; round < rounds; ++round) {
    MatrixD weights =
        reweighted(gram, transposed_times(inputs, at.labels, run.pool()), at.weights, problem.b);
    const MatrixD scores = times(inputs, weights, run.pool());
    MatrixD labels = all_corrected(problem, scores);
    const double change =
        squared_distance(weights, at.weights) + squared_distance(labels, at.labels);
    at.weights = std::move(weights);
    at.labels = std::move(labels);
    at.objective.push_back(objective(problem, at, scores));
    run.update(round + 1);
    if (change < kSettled) break;
  }
  run.end();
  return at;
}

}  // namespace sieve
