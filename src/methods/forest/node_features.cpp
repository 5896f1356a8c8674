#include "methods/forest/node_features.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace sieve {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kSlotBytes = std::size_t{1} << 24;

}  // namespace

NodeFeatures::NodeFeatures(const Binned& x, std::size_t wanted) : x_(x), wanted_(wanted) {
  if (x.is_sparse()) {
    seen_.resize(x.features());
    slot_.resize(x.features(), kNone);
    codes_.resize(std::max(padded_rows(x.rows()), kSlotBytes));
  } else {
    order_.resize(x.features());
    codes_.resize(padded_rows(x.rows()));
  }
}

void NodeFeatures::begin_tree() {
  std::iota(order_.begin(), order_.end(), 0U);
}

// Features whose codes are read in one pass over the rows.
std::size_t NodeFeatures::slots(std::size_t rows) const {
  return std::max<std::size_t>(1, codes_.size() / padded_rows(rows));
}

void NodeFeatures::draw_sparse(std::span<const std::uint32_t> rows, Random& random) {
  drawn_.clear();
  for (const std::uint32_t i : rows) {
    const Binned::Row entries = x_.row(i);
    for (std::size_t e = 0; e < entries.columns.size(); ++e) {
      Seen& seen = seen_[entries.columns[e]];
      if (seen.count++ == 0) drawn_.push_back(entries.columns[e]);
      seen.low = std::min(seen.low, entries.codes[e]);
      seen.high = std::max(seen.high, entries.codes[e]);
    }
  }
  std::erase_if(drawn_, [&](std::uint32_t j) {
    const Seen seen = std::exchange(seen_[j], {});
    const std::uint8_t zero = seen.count < rows.size() ? x_.zero_code(j) : seen.low;
    return std::min(seen.low, zero) == std::max(seen.high, zero);
  });
  const std::size_t count = std::min(wanted_, drawn_.size());
  for (std::size_t k = 0; k < count; ++k)
    std::swap(drawn_[k], drawn_[k + random.below(drawn_.size() - k)]);
  drawn_.resize(count);
}

void NodeFeatures::read_slots(std::span<const std::uint32_t> rows, std::size_t first,
                              std::size_t count) {
  const std::size_t stride = padded_rows(rows.size());
  for (std::size_t s = 0; s < count; ++s) {
    const std::uint32_t j = drawn_[first + s];
    slot_[j] = static_cast<std::uint32_t>(s);
    std::fill_n(codes_.data() + s * stride, rows.size(), x_.zero_code(j));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Binned::Row entries = x_.row(rows[i]);
    for (std::size_t e = 0; e < entries.columns.size(); ++e)
      if (const std::uint32_t s = slot_[entries.columns[e]]; s != kNone)
        codes_[s * stride + i] = entries.codes[e];
  }
  for (std::size_t s = 0; s < count; ++s) slot_[drawn_[first + s]] = kNone;
}

}  // namespace sieve
