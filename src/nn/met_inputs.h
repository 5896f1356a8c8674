#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/mlp.h"

namespace sieve {

// A sparse batch by columns: the inputs that it meets, in the order in which they turn up, each
// with its entries from the first row to the last. Inputs with a centre are met by every batch.
// Costs what the entries of the batch cost.
class MetInputs {
 public:
  struct Entry {
    std::uint32_t row;  // of the batch
    float value;
  };

  explicit MetInputs(std::size_t inputs) : slots_(inputs) {}

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

}  // namespace sieve
