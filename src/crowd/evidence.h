#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "labelsieve/crowd.h"
#include "labelsieve/matrix.h"

namespace sieve {

// Adds what the votes of an annotation say about each label, as differences of log-odds. The tables
// have what a tick and what its absence says, annotators x labels.
inline void add_evidence(const Votes& votes, std::size_t annotation, const Matrix& if_ticked,
                         const Matrix& if_passed, std::span<float> into) {
  const float* passed = if_passed.row(votes.annotator(annotation)).data();
  const float* ticked = if_ticked.row(votes.annotator(annotation)).data();
  for (std::size_t l = 0; l < into.size(); ++l) into[l] += passed[l];
  for (const std::uint32_t l : votes.ticked(annotation)) into[l] += ticked[l] - passed[l];
}

// The same for all annotations of a row, from 0 on.
inline void sum_evidence(const Votes& votes, std::size_t row, const Matrix& if_ticked,
                         const Matrix& if_passed, std::span<float> into) {
  std::ranges::fill(into, 0.0F);
  for (std::size_t annotation = votes.first_annotation(row);
       annotation < votes.first_annotation(row + 1); ++annotation)
    add_evidence(votes, annotation, if_ticked, if_passed, into);
}

// The rows in at most 16 parts of equal size, so that `bytes_per_part` of sums stay small. The same
// for any number of threads, and with it the order of every sum.
struct Parts {
  Parts(std::size_t item_count, std::size_t bytes_per_part)
      : items(item_count),
        count(std::clamp<std::size_t>((std::size_t{256} << 20) / (bytes_per_part + 1), 1, 16)) {}
  std::size_t first(std::size_t part) const { return items * part / count; }
  std::size_t items, count;
};

// How often labels are ticked in a row, drawn towards how often they are ticked anywhere.
inline double drawn_share(double ticks, double annotations, double tick_rate) {
  return (ticks + 2 * tick_rate) / (annotations + 2);
}

}  // namespace sieve
