#pragma once

#include <cstddef>

namespace sieve {

// Strengths are summed over this many fixed points, from -4 to 4.
constexpr std::size_t kNodes = 21;
// Tables stand node by node, each with this many labels more than there are at most.
constexpr std::size_t kLabelsInStep = 16;
inline std::size_t padded_labels(std::size_t labels) {
  return (labels + kLabelsInStep - 1) / kLabelsInStep * kLabelsInStep;
}
inline double node_at(std::size_t node) {
  return -4 + 0.4 * static_cast<double>(node);
}

// to += factor * from. `size` is a multiple of kLabelsInStep.
void add_table(float factor, const float* from, std::size_t size, float* to);
// to += from, and from = 0.
void flush_table(float* from, std::size_t size, double* to);
// Turns log-weights (kNodes x padded labels) into weights that sum to 1 for each label. `largest`
// and `sums` (one per padded label) give back the largest log-weight and the sum of all relative to
// it.
void normalise_nodes(float* log_weights, std::size_t padded, float* largest, float* sums);
// into[label] = sum over nodes of weight * value, for a table of values, node by node.
void mean_over_nodes(const float* weights, const float* values, std::size_t padded, float* into);

}  // namespace sieve
