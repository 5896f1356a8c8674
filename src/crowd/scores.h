#pragma once

#include "labelsieve/matrix.h"

namespace sieve {

// The log-odds of a predictor's score, which is taken to be within [1e-5, 1 - 1e-5].
float score_log_odds(float score);

// Error(Usage) with the row of a score that is not a number.
void check_numbers(const Matrix& scores);

}  // namespace sieve
