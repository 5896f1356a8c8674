#pragma once

#include <span>
#include <string>

#include "labelsieve/matrix.h"
#include "labelsieve/options.h"
#include "methods/shared/decision.h"

// From which probability on labels are predicted, by what the predictions are for.
namespace sieve {

// "decision", of the methods that know probabilities of rows they did not learn from.
OptionSpec decision_option();

// The threshold for the goal that the option names, given how likely each label of such rows is
// right (rows x labels) if noise has these rates, one per label. Expected losses are compared,
// which are true as far as the probabilities are: no label is looked at. Rates found are too low
// more often than too high, and where they are, labels that are not right look likely: losses are
// those expected at the `feared` rates, which are no lower. Without rows it is 1/2.
struct Noisiness {
  std::span<const float> rates, feared;
};
Decision decision_for(const std::string& goal, const Matrix& right, const Noisiness& noise);

}  // namespace sieve
