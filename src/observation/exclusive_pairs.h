#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "labelsieve/labels.h"

namespace sieve {

// Two labels that nobody combines in an annotation, though many use both: "none" and any other.
struct ExclusivePair {
  std::uint32_t first = 0, second = 0;          // labels, first < second
  std::size_t first_used = 0, second_used = 0;  // annotations with each
  std::size_t annotators = 0;                   // who use both often
  double expected = 0;  // annotations with both, if each annotator combined labels at random
  double p = 1;         // of seeing none of these, in [0, 1]
};

// Pairs that occur together in no annotation, where at least 10 such annotations were expected,
// p < 1e-4 (and small enough for the number of pairs that were tried), and three annotators (or
// all, if there are fewer) used each label three times. The surest first.
//
// An annotator's labels are taken as independent of each other, with that annotator's own
// frequencies; so labels that different people prefer are no exclusive pair. Annotations of a row
// are alike, so that all of a row count about as one. Only the 256 most used labels are tried.
// Costs annotations x (their labels, squared) + annotators x (labels they use, squared).
std::vector<ExclusivePair> exclusive_pairs(const Votes& votes);

}  // namespace sieve
