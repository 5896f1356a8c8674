#pragma once

#include <span>
#include <string>
#include <vector>

#include "labelsieve/matrix.h"
#include "labelsieve/methods.h"
#include "methods/shared/decision.h"
#include "methods/shared/settings_table.h"

// From which probability on labels are predicted, by what the predictions are for.
namespace sieve {

// As options have them, in the order of the enumeration.
const std::vector<std::string>& names_of_goals();

// Of the methods that know probabilities of rows they did not learn from.
template <class Settings>
void add_decision(SettingsTable<Settings>& table) {
  table.choice("decision", &Settings::decision, names_of_goals(),
               "from which probability on a label is predicted: balanced, the lowest one whose "
               "expected Hamming loss is within 2 % of the least, or a lower one that keeps four "
               "fifths of the best expected F1; hamming, 1/2; f1, for the best "
               "expected micro F1; cardinality, for as many labels as are expected to be right");
}

// The threshold for the goal, given how likely each label of such rows is
// right (rows x labels) if noise has these rates, one per label. Expected losses are compared,
// which are true as far as the probabilities are: no label is looked at. Rates found are too low
// more often than too high, and where they are, labels that are not right look likely: losses are
// those expected at the `feared` rates, which are no lower. Without rows it is 1/2.
struct Noisiness {
  std::span<const float> rates, feared;
  std::span<const float> weights{};  // how much each row counts; empty: all alike
};
Decision decision_for(DecisionGoal goal, const Matrix& right, const Noisiness& noise);

// The same, written down with a note where there was nothing to learn it from.
Decision noted_decision_for(DecisionGoal goal, const Matrix& right, const Noisiness& noise,
                            ModelState& state);

}  // namespace sieve
