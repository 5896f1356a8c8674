#pragma once

#include <optional>
#include <vector>

#include "experiment/comparison.h"

namespace sieve {

// nullopt for fewer than two methods, or if all are complete together in fewer than two rows.
std::optional<Ranking> rank_methods(const std::vector<std::vector<Cell>>& cells,
                                    const std::vector<bool>& oracle, bool larger_is_better);

// The largest sets of two or more methods whose mean ranks lie within `difference` of each other.
std::vector<std::vector<std::size_t>> indistinct_groups(const std::vector<double>& mean_ranks,
                                                        double difference);

}  // namespace sieve
