#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/adam.h"
#include "nn/mlp.h"

namespace sieve {

// A sparse batch by columns: the inputs that it meets, in the order in which they turn up, each
// with its entries from the first row to the last. Inputs with a centre are met by every batch.
// Costs what the entries of the batch cost.
class TouchedInputs {
 public:
  struct Entry {
    std::uint32_t row;  // of the batch
    float value;
  };

  explicit TouchedInputs(std::size_t inputs) : slots_(inputs) {}

  template <class Real>
  void find(const Input<Real>& batch);
  std::size_t count() const { return inputs_.size(); }
  std::span<const std::uint32_t> inputs() const { return inputs_; }
  std::span<const Entry> entries(std::size_t slot) const {
    return {entries_.data() + starts_[slot], starts_[slot + 1] - starts_[slot]};
  }

 private:
  std::size_t slot_of(std::uint32_t input);

  std::vector<std::uint32_t> slots_;  // of every input, from 1; 0: not met
  std::vector<std::uint32_t> inputs_;
  std::vector<std::size_t> starts_;
  std::vector<Entry> entries_;
};

// How fast the average of the weights follows them: 1 / step at first, so that it is the mean of
// all, and no slower than `slowest` later. 1: the average is what the last step left.
struct AveragePace {
  double slowest = 1;
  double at(std::uint64_t step) const {  // steps count from 1
    return std::max(slowest, 1 / static_cast<double>(step));
  }
};

// The first layer of a network on sparse rows, moved by Adam at the cost of what a batch meets.
//
// The weights of an input that a batch does not meet have no gradient, but Adam moves them on by
// what it remembers, and their average follows. These steps are made up for all at once, when the
// input is met again. With k missed steps after step t, what Adam remembers shrinks to
// beta1^k m and beta2^k v, and the value has moved by
//
//   rate * sum_j beta1^j b_{t+j} m / (beta2^{j/2} c_{t+j} sqrt(v) + epsilon),   j = 1 ... k,
//
// b and c being Adam's corrections for its start at 0. With W = sum beta1^j b and V = the same sum
// of beta1^j b / (beta2^{j/2} c), that is  rate * V m / (sqrt(v) + epsilon V / W): exactly where
// epsilon is nothing beside sqrt(v), or all; in between up to the spread of beta2^{j/2} c over the
// few steps that count. The average is a sum over the same terms, taken as those of V. Both are
// tables by t, the same for all inputs.
//
// Same bits for any number of threads.
template <class Real>
class LazyRows {
 public:
  LazyRows(const LayerPlace& first, const AdamOptions& adam, AveragePace pace);

  // The buffers of the whole network. No average: none is kept.
  struct Buffers {
    std::span<Real> values;
    AdamState<Real>& adam;
    std::span<Real> average{};
  };

  // Before a batch goes forward: brings the weights it meets up to date.
  void mark_touched(ThreadPool& pool, const Input<Real>& batch, const Buffers& buffers);
  // After it came back: a step for those weights, from the gradient of the layer's sums and that
  // summed over the rows, and one of their average.
  void move(ThreadPool& pool, const AdamStep<Real>& step, const Input<Real>& batch,
            View<const Real> delta, const Real* delta_sum, const Buffers& buffers);
  // Brings all weights up to date.
  void settle(ThreadPool& pool, const Buffers& buffers);

  // The inputs whose weights may have moved.
  std::span<const std::uint32_t> moved() const { return moved_; }
  // How many of `steps` steps each input's weights have not made, as a checkpoint keeps it.
  std::vector<std::uint64_t> missed(std::uint64_t steps) const;
  // Takes that back; false if it cannot be.
  bool set_missed(std::span<const std::uint64_t> missed, std::uint64_t steps);

 private:
  // What one step contributes to the sums above.
  struct Term {
    double weight, weight_over_scale, pace;
  };
  Term term_of(std::uint64_t step) const;
  std::uint64_t missed_by(std::size_t input, std::uint64_t steps) const;
  void make_table(std::uint64_t steps, std::uint64_t most);
  void make_table_for(std::span<const std::uint32_t> inputs, std::uint64_t steps);
  void drift(std::size_t input, std::uint64_t missed, const Buffers& buffers) const;
  void catch_up(std::size_t input, std::uint64_t missed, const Buffers& buffers) const;

  LayerPlace place_;
  AdamOptions adam_;
  AveragePace pace_;
  TouchedInputs touched_;
  std::vector<std::uint64_t> made_;       // steps of each input's weights; kNever: nothing yet
  std::vector<std::uint32_t> moved_;      // inputs that were met
  std::vector<Term> terms_;               // of the last steps, by step modulo its size
  std::uint64_t terms_to_ = 0;            // the step that was noted last
  std::vector<MissedSteps<Real>> table_;  // by the number of missed steps
  Array<Real> gradients_;
};

// A step of Adam and of the average for all parameters after a batch came back: from `gradients`
// of all, or with `rows` of those behind the weights of the first layer.
template <class Real>
void descend(ThreadPool& pool, const AdamOptions& adam, AveragePace pace, LazyRows<Real>* rows,
             const MlpContext<Real>& batch, std::span<const Real> gradients,
             const typename LazyRows<Real>::Buffers& buffers);

// Calls visit(first, count) for the stretches of a network's parameters that may have moved.
template <class Real, class Visit>
void for_changed_parameters(const Mlp<Real>& mlp, const LazyRows<Real>* rows, const Visit& visit) {
  if (rows == nullptr) return visit(std::size_t{0}, mlp.parameter_count());
  const LayerPlace& first = mlp.layers().front();
  for (const std::uint32_t input : rows->moved())
    visit(first.weights + input * first.stride, first.stride);
  visit(mlp.rest_at(), mlp.rest_count());
}

}  // namespace sieve
