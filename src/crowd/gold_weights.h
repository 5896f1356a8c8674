#pragma once

#include <functional>
#include <span>
#include <vector>

#include "labelsieve/crowd.h"

namespace sieve {

// How likely a label is right for the expert, given the log-odds of the crowd.
double corrected(const GoldWeights& weights, double log_odds);

// Weights of each label from the cells of the expert, given the log-odds of a cell without them.
std::vector<GoldWeights> learn_gold(std::span<const GoldCell> gold, std::size_t labels,
                                    const std::function<double(const GoldCell&)>& log_odds);

// Error(Usage) for a cell beyond rows x labels.
void check_gold(std::span<const GoldCell> gold, std::size_t rows, std::size_t labels);

}  // namespace sieve
