#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "crowd/label_sets.h"
#include "labelsieve/crowd.h"

namespace sieve {

// At most `most`, those with most annotations first.
std::vector<std::uint32_t> busiest_annotators(const Votes& votes, std::size_t most);

// Every two of these annotators that share a row.
std::vector<PairAgreement> agreement_in_pairs(const Votes& votes, const LabelSets& sets,
                                              std::span<const std::uint32_t> annotators);

// Places of the `most` pairs with the smallest keys, smallest first.
std::vector<std::size_t> ordered_pairs(std::span<const PairAgreement> pairs, std::size_t most,
                                       const std::function<double(const Estimate&)>& key);

}  // namespace sieve
