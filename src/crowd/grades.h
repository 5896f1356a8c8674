#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "labelsieve/labels.h"

namespace sieve {

// Votes with grades, as answers to a chain of questions: whether the label is there, and where it
// is, whether it is there by one step more, and so on. The answers of annotator a to the k-th
// further question are votes of annotator a + k * annotators, unsure of what was not asked. They
// stand behind all others of a row. Grades of labels that are not `counted` are left out.
Votes chain_of_questions(const Votes& votes, const std::vector<bool>& counted);

// By annotation of the chain, the number that its annotator's own annotation of the row has.
std::vector<std::uint32_t> annotation_of_answer(const Votes& chain, const Votes& votes);

}  // namespace sieve
