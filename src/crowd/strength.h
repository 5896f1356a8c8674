#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"
#include "labelsieve/threads.h"

namespace sieve {

// The rows in at most 16 parts of equal size, so that `bytes_per_part` of sums stay small. The same
// for any number of threads, and with it the order of every sum.
struct Parts {
  Parts(std::size_t item_count, std::size_t bytes_per_part)
      : items(item_count),
        count(std::clamp<std::size_t>((std::size_t{256} << 20) / (bytes_per_part + 1), 1, 16)) {}
  std::size_t first(std::size_t part) const { return items * part / count; }
  std::size_t items, count;
};

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

// What a member of the model of annotators learns from.
struct MemberInput {
  const Votes* votes = nullptr;
  std::size_t labels = 0;
  const Matrix* covariate = nullptr;  // rows x labels, standardised; null: none
  std::span<const float> weights{};   // by annotation; empty: each counts 1
  std::size_t annotators = 0;         // those beyond are answers to further questions (grades.h)

  float weight(std::size_t annotation) const {
    return weights.empty() ? 1.0F : weights[annotation];
  }
};

// The strength of each node, in the place of its cells.
std::vector<float> nodes_table(std::size_t labels);

// Every cell has a strength z ~ Normal(slope_l * covariate, 1), on kNodes points:
//   theta = exp(sharpness_l) * z + threshold_l
//   P(a ticks) = lapse_a * guess_al + (1 - lapse_a) * sigmoid(exp(d_al) * theta + b_al)
// so that what differs between annotators turns the curve about the label's threshold, not about
// z = 0. Fitted by expectation and maximisation; a round costs annotations x labels x nodes.
class StrengthModel {
 public:
  // From scratch, or from what another model found.
  StrengthModel(const MemberInput& input, const StrengthModel* start = nullptr);
  // Until the likelihood hardly rises, for `rounds` rounds at most.
  void fit(const MemberInput& input, std::size_t rounds, ThreadPool& pool);

  std::size_t padded() const { return padded_; }
  std::size_t table_size() const { return kNodes * padded_; }
  double slope(std::size_t label) const { return slope_[label]; }

  // Log-weights of the nodes for each label of a row (kNodes x padded labels): prior and votes.
  void add_prior(const MemberInput& input, std::size_t row, float* into) const;
  void add_votes(const MemberInput& input, std::size_t row, float* into) const;
  // log P of what an annotator did.
  float vote(std::size_t annotator, std::size_t label, std::size_t node, bool ticked) const {
    const std::size_t at = place(annotator, node, label);
    return passed_.data()[at] + (ticked ? more_if_ticked_.data()[at] : 0.0F);
  }
  // How often the annotators, each counted as often as they annotated, tick a label of such a
  // strength: kNodes x padded labels.
  const std::vector<float>& mean_rates_table() const { return mean_rates_; }
  double tick_rate(std::size_t annotator, std::size_t label, std::size_t node) const;

 private:
  struct Sums;
  // Of all annotators one block after the other, and blocks of labels after that.
  std::size_t block_place(std::size_t annotator, std::size_t block) const {
    return (block * annotators_ + annotator) * kBlockSize;
  }
  std::size_t place(std::size_t annotator, std::size_t node, std::size_t label) const {
    return block_place(annotator, label / kLabelsInStep) + node * kLabelsInStep +
           label % kLabelsInStep;
  }
  std::size_t blocks() const { return padded_ / kLabelsInStep; }
  void expect_block(const MemberInput& input, std::size_t first, std::size_t last,
                    std::size_t block, Sums& sums) const;
  void start(const MemberInput& input);
  Sums expect(const MemberInput& input, ThreadPool& pool) const;
  void maximise(const Sums& sums, ThreadPool& pool);
  void move_label(const Sums& sums, std::size_t label);
  void move_lapse(const Sums& sums, std::size_t annotator);
  void set_tables(ThreadPool& pool);
  void set_mean_rates();

  std::size_t annotators_ = 0, labels_ = 0, padded_ = 0;
  std::size_t first_answers_ = 0;                      // MemberInput::annotators
  std::vector<double> annotations_;                    // by annotator, weighted
  MatrixD guess_;                                      // annotators x labels
  std::vector<double> lapse_;                          // log-odds, by annotator
  std::vector<double> sharpness_, threshold_, slope_;  // by label
  MatrixD turn_, bias_;                                // annotators x labels: d and b
  Array<float> passed_, more_if_ticked_;
  std::vector<float> mean_rates_;
};

}  // namespace sieve
