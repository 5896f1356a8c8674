#include "methods/forest/cuts.h"

#include <limits>

namespace sieve {

void Cuts::add(std::span<const float> cuts) {
  counts_.push_back(static_cast<std::uint8_t>(cuts.size()));
  cuts_.insert(cuts_.end(), cuts.begin(), cuts.end());
  for (std::size_t c = kCutsToFence - 1; c < cuts.size(); c += kCutsToFence)
    fences_.push_back(cuts[c]);
  if (cuts.size() >= kCutsToFence)
    cuts_.insert(cuts_.end(), kCutsToFence - cuts.size() % kCutsToFence,
                 std::numeric_limits<float>::infinity());
  starts_.push_back(cuts_.size());
  fence_starts_.push_back(fences_.size());
}

std::uint8_t Cuts::code(std::size_t column, float value) const {
  const float* row = &value;
  std::uint8_t code = 0;
  codes(column, {&row, 1}, 0, &code);
  return code;
}

void Cuts::codes(std::size_t column, std::span<const float* const> rows, std::size_t feature,
                 std::uint8_t* to) const {
  const auto part = [column](const std::vector<float>& all,
                             const std::vector<std::size_t>& starts) {
    return std::span(all).subspan(starts[column], starts[column + 1] - starts[column]);
  };
  kernels_.codes({part(cuts_, starts_), part(fences_, fence_starts_)}, rows, feature, to);
}

RowGroup::RowGroup(const Features& x, std::size_t first, std::size_t last) : count_(last - first) {
  for (std::size_t r = 0; r < count_; ++r) rows_[r] = x.row(first + r, rooms_[r]).values;
}

}  // namespace sieve
