#include "methods/forest/walk_kernels.h"

#include <algorithm>
#include <array>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "methods/forest/walk_kernels.cpp"
#include "hwy/foreach_target.h"
#include "methods/forest/codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sieve::HWY_NAMESPACE {
namespace {

using SomeCuts = hn::CappedTag<float, kCutsToFence>;

// How many of 16 numbers are below the value.
HWY_INLINE std::size_t count_below(const float* numbers, hn::Vec<SomeCuts> value) {
  const SomeCuts tag;
  std::size_t below = 0;
  for (std::size_t l = 0; l < kCutsToFence; l += hn::Lanes(tag))
    below += hn::CountTrue(tag, hn::Lt(hn::LoadU(tag, numbers + l), value));
  return below;
}

// Up to 16 numbers, and infinite ones behind them.
struct Sixteen {
  explicit Sixteen(std::span<const float> from) {
    std::ranges::fill(numbers, std::numeric_limits<float>::infinity());
    std::ranges::copy(from, numbers.begin());
  }
  std::array<float, kCutsToFence> numbers;
};

// answers[i] = choice ? answers[half + i] : answers[i], for 64 rows at once.
HWY_INLINE void choose(std::uint64_t choice, std::uint64_t* answers, std::size_t half) {
  for (std::size_t i = 0; i < half; ++i) answers[i] ^= (answers[i] ^ answers[half + i]) & choice;
}

template <std::size_t kLanes>
HWY_INLINE void add_vectors(const LeafShares& leaves, std::span<const std::uint32_t> leaf_of,
                            float* sums) {
  const hn::CappedTag<float, kLanes> tag;
  const std::size_t labels = leaves.labels, stride = sum_stride(labels);
  for (std::size_t i = 0; i < leaf_of.size(); ++i, sums += stride) {
    const std::size_t from = leaf_of[i] * labels;
    const float* shares = leaves.shares.data() + from;
    if (from + stride <= leaves.shares.size())
      for (std::size_t k = 0; k < stride; k += hn::Lanes(tag))
        hn::StoreU(hn::Add(hn::LoadU(tag, sums + k), hn::LoadU(tag, shares + k)), tag, sums + k);
    else
      for (std::size_t k = 0; k < labels; ++k) sums[k] += shares[k];
  }
}

// Two looks at up to 16 numbers: which 16 cuts it is among, and which of those.
void codes(const CutColumn& column, std::span<const float* const> rows, std::size_t feature,
           std::uint8_t* to) {
  const Sixteen fences(column.fences), few(column.fences.empty() ? column.cuts : column.fences);
  const float* cuts = column.fences.empty() ? few.numbers.data() : column.cuts.data();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto value = hn::Set(SomeCuts(), rows[i][feature]);
    const std::size_t first = kCutsToFence * count_below(fences.numbers.data(), value);
    to[i] = static_cast<std::uint8_t>(first + count_below(cuts + first, value));
  }
}

// All nodes are asked about all rows; what those say that a row does not come to counts for
// nothing.
void first_levels(const WalkNode* nodes, const std::uint8_t* codes, std::uint8_t* paths) {
  std::uint64_t answers[kFirstNodes], way[kFirstLevels];
  for (std::size_t n = 0; n < kFirstNodes; ++n)
    answers[n] = ~at_most(codes + nodes[n].place(), nodes[n].code());
  for (std::size_t level = 0; level < kFirstLevels; ++level) {
    std::uint64_t* here = answers + (std::size_t{1} << level) - 1;
    for (std::size_t l = 0; l < level; ++l) choose(way[l], here, std::size_t{1} << (level - 1 - l));
    way[level] = here[0];
  }
  const Bytes tag;
  if constexpr (kVectors) {
    for (std::size_t r = 0; r < kGroupRows; r += hn::Lanes(tag)) {
      auto path = hn::Zero(tag);
      for (std::size_t l = 0; l < kFirstLevels; ++l) {
        const std::uint64_t bits = way[l] >> r;
        const auto second = hn::LoadMaskBits(tag, reinterpret_cast<const std::uint8_t*>(&bits));
        path = hn::Add(hn::Add(path, path), hn::IfThenElseZero(second, hn::Set(tag, 1)));
      }
      hn::StoreU(path, tag, paths + r);
    }
  } else {
    for (std::size_t r = 0; r < kGroupRows; ++r) {
      paths[r] = 0;
      for (const std::uint64_t bits : way)
        paths[r] = static_cast<std::uint8_t>(2 * paths[r] + (bits >> r & 1U));
    }
  }
}

void add_leaves(const LeafShares& leaves, std::span<const std::uint32_t> leaf_of, float* sums) {
  if (leaves.labels <= 4) return add_vectors<4>(leaves, leaf_of, sums);
  if (leaves.labels <= 8) return add_vectors<8>(leaves, leaf_of, sums);
  add_vectors<16>(leaves, leaf_of, sums);
}

}  // namespace

WalkKernels walk_table() {
  return {codes, first_levels, add_leaves};
}

}  // namespace sieve::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sieve {

HWY_EXPORT(walk_table);

WalkKernels walk_kernels() {
  return HWY_DYNAMIC_DISPATCH(walk_table)();
}

}  // namespace sieve
#endif
