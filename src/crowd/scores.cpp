#include "crowd/scores.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "crowd/log_odds.h"
#include "labelsieve/crowd.h"
#include "labelsieve/error.h"

namespace sieve {

float score_log_odds(float score) {
  const double inside = std::clamp(static_cast<double>(score), 1e-5, 1 - 1e-5);
  return static_cast<float>(std::log(inside / (1 - inside)));
}

void check_numbers(const Matrix& scores) {
  for (std::size_t row = 0; row < scores.rows(); ++row)
    for (const float score : scores.row(row))
      if (std::isnan(score))
        throw Error(Failure::Usage,
                    "a score of row " + std::to_string(row + 1) + " is not a number");
}

namespace {

bool all_inside(const Matrix& scores) {
  for (std::size_t row = 0; row < scores.rows(); ++row)
    for (const float score : scores.row(row))
      if (score < 0 || score > 1) return false;
  return true;
}

}  // namespace

Matrix as_probabilities(Matrix scores) {
  if (all_inside(scores)) return scores;
  constexpr double kSteep = 2;  // log-odds per standard deviation
  for (std::size_t l = 0; l < scores.cols(); ++l) {
    const auto rows = static_cast<double>(scores.rows());
    double sum = 0, squares = 0;
    for (std::size_t row = 0; row < scores.rows(); ++row) sum += double{scores(row, l)};
    const double mean = sum / rows;
    for (std::size_t row = 0; row < scores.rows(); ++row)
      squares += std::pow(double{scores(row, l)} - mean, 2);
    const double spread = std::sqrt(squares / rows);
    for (std::size_t row = 0; row < scores.rows(); ++row)
      scores(row, l) = static_cast<float>(
          probability_of(kSteep * (double{scores(row, l)} - mean) / std::max(spread, 1e-30)));
  }
  return scores;
}

}  // namespace sieve
