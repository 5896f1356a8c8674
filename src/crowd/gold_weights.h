#pragma once

#include <functional>
#include <span>
#include <vector>

#include "labelsieve/crowd.h"

namespace sieve {

// Two corrections of each label, first those of all labels as an expert who rejects and adds, then
// lines: the mean of several and of none, weighed by how well they foretell cells that were left
// out of learning them (recalibrate()). What none weighs is not trusted in the first ones either.
// Without cells there is one of each label, which changes nothing. How likely a label is right for
// the expert, given the log-odds of the crowd: the mean of both, in log-odds.
double corrected(std::span<const GoldWeights> gold, std::size_t labels, std::size_t label,
                 double log_odds);

// Both, from the cells of the expert, given the log-odds of a cell without them.
std::vector<GoldWeights> learn_gold(std::span<const GoldCell> gold, std::size_t labels,
                                    const std::function<double(const GoldCell&)>& log_odds);

// Error(Usage) for a cell beyond rows x labels.
void check_gold(std::span<const GoldCell> gold, std::size_t rows, std::size_t labels);

}  // namespace sieve
