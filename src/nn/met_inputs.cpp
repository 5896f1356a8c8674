#include "nn/met_inputs.h"

#include <numeric>

namespace sieve {

std::size_t MetInputs::slot_of(std::uint32_t input) {
  std::uint32_t& slot = slots_[input];
  if (slot == 0) {
    inputs_.push_back(input);
    starts_.push_back(0);
    slot = static_cast<std::uint32_t>(inputs_.size());
  }
  return slot - 1;
}

// Counts the entries of each input one place further on, so that filling them in moves the counts
// to where they belong.
template <class Real>
void MetInputs::find(const Input<Real>& batch) {
  for (const std::uint32_t input : inputs_) slots_[input] = 0;
  inputs_.clear();
  starts_.assign(2, 0);
  for_each_centred(batch, slots_.size(),
                   [&](std::size_t input) { slot_of(static_cast<std::uint32_t>(input)); });
  std::size_t size = 0;
  for (const std::size_t row : batch.sparse_rows)
    for (const std::uint32_t input : batch.sparse->row(row).columns) {
      ++starts_[slot_of(input) + 2];
      ++size;
    }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  entries_.resize(size);
  for (std::size_t i = 0; i < batch.sparse_rows.size(); ++i) {
    const CsrMatrix::Row row = batch.sparse->row(batch.sparse_rows[i]);
    for (std::size_t e = 0; e < row.columns.size(); ++e)
      entries_[starts_[slots_[row.columns[e]]]++] = {static_cast<std::uint32_t>(i), row.values[e]};
  }
}

template void MetInputs::find(const Input<float>&);
template void MetInputs::find(const Input<double>&);

}  // namespace sieve
