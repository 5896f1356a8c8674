#include "observation/scores.h"

#include <algorithm>
#include <cmath>
#include <string>

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

}  // namespace sieve
