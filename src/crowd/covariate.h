#pragma once

#include <optional>

#include "crowd/strength.h"

namespace sieve {

// What speaks for a label of a row besides its own votes. Both are rows x labels and standardised
// over the rows that somebody annotated.
struct Covariates {
  std::optional<Matrix> all;     // scores and the strengths of other labels; nothing without either
  std::optional<Matrix> others;  // strengths of other labels alone; nothing where `all` is that
};
Covariates covariates_of(const StrengthModel& strength, const MemberInput& input,
                         const Matrix* scores, bool other_labels, ThreadPool& pool);

}  // namespace sieve
