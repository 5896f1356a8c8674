#pragma once

#include <cstddef>

namespace sieve {

// Strengths are summed over this many fixed points, from -4 to 4.
constexpr std::size_t kNodes = 21;
// Tables stand in blocks of kLabelsInStep labels, each block node by node: a block of one annotator
// after that of the other stays in the processor's memory, and its nodes in registers.
constexpr std::size_t kLabelsInStep = 16;
constexpr std::size_t kBlockSize = kNodes * kLabelsInStep;
inline std::size_t cell_at(std::size_t node, std::size_t label) {
  return label / kLabelsInStep * kBlockSize + node * kLabelsInStep + label % kLabelsInStep;
}
inline std::size_t padded_labels(std::size_t labels) {
  return (labels + kLabelsInStep - 1) / kLabelsInStep * kLabelsInStep;
}
inline double node_at(std::size_t node) {
  return -4 + 0.4 * static_cast<double>(node);
}

// to += factor * from, for a block.
void add_block(float factor, const float* from, float* to);
// into = start + sum of weight * block, and the reverse: each block += weight * from.
template <class Real>
struct Weighted {
  Real* block;
  float weight;
};
void sum_blocks(const float* start, const Weighted<const float>* blocks, std::size_t count,
                float* into);
void add_to_blocks(const float* from, const Weighted<float>* blocks, std::size_t count);
// to += from, and from = 0.
void flush_table(float* from, std::size_t size, double* to);
// Turns log-weights (blocks of the padded labels) into weights that sum to 1 for each label.
// `largest` and `sums` (one per padded label) give back the largest log-weight and the sum of all
// relative to it.
void normalise_nodes(float* log_weights, std::size_t padded, float* largest, float* sums);
// into[label] = sum over nodes of weight * value, for a table of values.
void mean_over_nodes(const float* weights, const float* values, std::size_t padded, float* into);

}  // namespace sieve
