#include "methods/forest/split_kernels.h"

#include <algorithm>
#include <array>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "methods/forest/split_kernels.cpp"
#include "hwy/foreach_target.h"
#include "methods/forest/codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sieve::HWY_NAMESPACE {
namespace {

HWY_INLINE int ones(std::uint64_t bits) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return std::popcount(bits);
#else  // no instruction for it
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  return static_cast<int>(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
#endif
}

// Bit i: whether byte i of 64 has this bit.
HWY_INLINE std::uint64_t has_bit(const std::uint8_t* bytes, std::uint8_t bit) {
  std::uint64_t word = 0;
  if constexpr (kVectors) {
    const Bytes tag;
    std::uint8_t bits[16];
    for (std::size_t i = 0; i < 64; i += hn::Lanes(tag)) {
      const auto both = hn::And(hn::Load(tag, bytes + i), hn::Set(tag, bit));
      hn::StoreMaskBits(tag, hn::Eq(both, hn::Set(tag, bit)), bits + i / 8);
    }
    std::memcpy(&word, bits, sizeof word);
  } else {
    for (std::size_t i = 0; i < 64; ++i) word |= std::uint64_t{(bytes[i] & bit) != 0} << i;
  }
  return word;
}

HWY_INLINE std::uint64_t first_bits(std::size_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// What is on the left of a cut: the sums of c^2 and of c totals, c rows having a label.
struct Overlap {
  std::uint64_t squares = 0, products = 0;
};

HWY_INLINE double gain_of(std::uint64_t left_squares, std::uint64_t left,
                          std::uint64_t right_squares, std::uint64_t right) {
  return static_cast<double>(left_squares) / static_cast<double>(left) +
         static_cast<double>(right_squares) / static_cast<double>(right);
}

HWY_INLINE double gain_of(Overlap on_left, std::uint64_t total_squares, std::uint64_t left,
                          std::uint64_t rows) {
  return gain_of(on_left.squares, left, total_squares + on_left.squares - 2 * on_left.products,
                 rows - left);
}

// How much the rows that are in both sets count, or those of one set.
template <std::size_t kBits>
HWY_INLINE std::uint64_t weight_of(const LabelPlanes& labels, const std::uint64_t* set,
                                   const std::uint64_t* plane) {
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < labels.words; ++w) {
    const std::uint64_t both = plane != nullptr ? set[w] & plane[w] : set[w];
    if constexpr (kBits == 0) sum += static_cast<std::uint64_t>(ones(both));
    for (std::size_t b = 0; b < kBits; ++b)
      sum += static_cast<std::uint64_t>(ones(both & labels.weight_planes[b * labels.words + w]))
             << b;
  }
  return sum;
}

template <std::size_t kBits>
HWY_INLINE Overlap overlap(const LabelPlanes& labels, const std::uint64_t* set) {
  Overlap sums;
  const std::uint64_t* plane = labels.planes;
  for (std::size_t p = 0; p < labels.count; ++p, plane += labels.words) {
    const std::uint64_t both = weight_of<kBits>(labels, set, plane);
    sums.squares += both * both;
    sums.products += both * labels.totals[p];
  }
  return sums;
}

// Counts of labels in 16 bits, for less than 2^14 rows: 16 squares of them fit into 32 bits.
struct SmallCounts {
  using Count = std::int16_t;
  static constexpr std::size_t kMost = 16383;
  using Tag = hn::CappedTag<Count, kLabelLanes>;
  using Wide = hn::RepartitionToWide<Tag>;

  static HWY_INLINE void add_row(const std::uint8_t* row, std::size_t lanes, Count* to) {
    const Tag tag;
    for (std::size_t l = 0; l < lanes; l += hn::Lanes(tag)) {
      const auto more = hn::PromoteTo(tag, hn::LoadU(hn::Rebind<std::uint8_t, Tag>(), row + l));
      hn::Store(hn::Add(hn::Load(tag, to + l), more), tag, to + l);
    }
  }
  // sums += here, which becomes 0.
  static HWY_INLINE Overlap move_on(Count* here, std::size_t lanes, const std::int16_t* totals,
                                    Count* sums) {
    const Tag tag;
    const Wide wide;
    Overlap out;
    for (std::size_t b = 0; b < lanes; b += kLabelLanes) {
      auto squares = hn::Zero(wide), more_squares = hn::Zero(wide);
      auto products = hn::Zero(wide), more_products = hn::Zero(wide);
      for (std::size_t l = b; l < b + kLabelLanes; l += hn::Lanes(tag)) {
        const auto sum = hn::Add(hn::Load(tag, sums + l), hn::Load(tag, here + l));
        hn::Store(sum, tag, sums + l);
        hn::Store(hn::Zero(tag), tag, here + l);
        squares = hn::ReorderWidenMulAccumulate(wide, sum, sum, squares, more_squares);
        products = hn::ReorderWidenMulAccumulate(wide, sum, hn::LoadU(tag, totals + l), products,
                                                 more_products);
      }
      const auto total = [&](auto x, auto y) {
        return static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(wide, hn::Add(x, y))));
      };
      out.squares += total(squares, more_squares);
      out.products += total(products, more_products);
    }
    return out;
  }
};

struct LargeCounts {
  using Count = std::uint32_t;

  static HWY_INLINE void add_row(const std::uint8_t* row, std::size_t lanes, Count* to) {
    for (std::size_t l = 0; l < lanes; ++l) to[l] += row[l];
  }
  static HWY_INLINE Overlap move_on(Count* here, std::size_t lanes, const std::uint32_t* totals,
                                    Count* sums) {
    Overlap out;
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::uint64_t sum = sums[l] += here[l];
      here[l] = 0;
      out.squares += sum * sum;
      out.products += sum * totals[l];
    }
    return out;
  }
};

struct CodeRange {
  std::uint8_t low, high;
};

// Reads codes, and finds their range.
HWY_INLINE CodeRange read_codes(const NodeCodes& of, std::size_t count) {
  const SomeBytes tag;
  std::uint8_t* HWY_RESTRICT codes = of.codes;
  if (of.column != nullptr) {
    const std::uint8_t* HWY_RESTRICT column = of.column;
    const std::uint32_t* HWY_RESTRICT rows = of.rows;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) codes[i] = column[rows[i]];
  }
  if constexpr (!kVectors) {
    const auto [low, high] = std::minmax_element(codes, codes + count);
    return {*low, *high};
  }
  const std::size_t lanes = hn::Lanes(tag);
  auto low = hn::Set(tag, codes[0]), high = low;
  hn::StoreU(low, tag, codes + count);  // what follows the last counts for nothing
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto some = hn::Load(tag, codes + i);
    low = hn::Min(low, some);
    high = hn::Max(high, some);
  }
  return {hn::GetLane(hn::MinOfLanes(tag, low)), hn::GetLane(hn::MaxOfLanes(tag, high))};
}

HWY_INLINE std::size_t rows_at_most(const std::uint8_t* codes, std::size_t count, std::uint8_t most,
                                    std::uint64_t* set) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += 64) {
    const std::uint64_t word = first_bits(count - i) & at_most(codes + i, most);
    set[i / 64] = word;
    found += static_cast<std::size_t>(ones(word));
  }
  return found;
}

// The overlap of labels with the rows of a set, or with the others.
HWY_INLINE Overlap overlap_by_rows(const LabelPlanes& labels, const std::uint64_t* set, bool in) {
  const LabelWords& by_row = labels.row_words;
  const auto for_each_label = [&](const auto& visit) {
    for (std::size_t w = 0; w < labels.words; ++w)
      for (std::uint64_t rows = (in ? set[w] : ~set[w]) & first_bits(labels.rows - 64 * w);
           rows != 0; rows &= rows - 1) {
        const std::size_t i = 64 * w + static_cast<std::size_t>(std::countr_zero(rows));
        const std::uint64_t* row = by_row.words + by_row.rows[i] * by_row.per_row;
        for (std::size_t v = 0; v < by_row.per_row; ++v)
          for (std::uint64_t some = row[v] & by_row.vary[v]; some != 0; some &= some - 1)
            visit(64 * v + static_cast<std::size_t>(std::countr_zero(some)));
      }
  };
  Overlap sums;
  for_each_label([&](std::size_t k) {
    sums.squares += 2 * by_row.room[k]++ + 1;  // from c^2 to (c + 1)^2
    sums.products += by_row.totals[k];
  });
  for_each_label([&](std::size_t k) { by_row.room[k] = 0; });
  return sums;
}

// The gain of a set of `left` rows.
HWY_INLINE double gain_by(const LabelPlanes& labels, const std::uint64_t* set, std::size_t left) {
  const std::size_t right = labels.rows - left;
  if (labels.row_words.words != nullptr &&
      std::min(left, right) * labels.row_words.cost < labels.count * (labels.words + 2)) {
    const Overlap few = overlap_by_rows(labels, set, left <= right);
    const std::uint64_t many = labels.total_squares + few.squares - 2 * few.products;
    return gain_of(left <= right ? few.squares : many, left, left <= right ? many : few.squares,
                   right);
  }
  const auto gain = [&]<std::size_t kBits>() {
    const Overlap on_left = overlap<kBits>(labels, set);
    const std::size_t weight = kBits == 0 ? left : weight_of<kBits>(labels, set, nullptr);
    return gain_of(on_left, labels.total_squares, weight, labels.total());
  };
  switch (labels.weight_bits) {
    case 0:
      return gain.template operator()<0>();
    case 1:
    case 2:
      return gain.template operator()<2>();
    default:
      return gain.template operator()<kMostWeightBits>();
  }
}

// A histogram of the codes, with counts for each label, and a walk over those that occur.
template <class Counts, class Total>
Cut walk_cuts(const LabelPlanes& node, const LabelRows& labels, const Total* totals,
              const std::uint8_t* codes, std::uint32_t* room) {
  const std::size_t rows = node.rows, least = node.least;
  const bool weighed = node.weight_bits > 0;
  std::array<std::uint32_t, 256> rows_of{};
  using Count = typename Counts::Count;
  const std::size_t lanes = labels.lanes;
  auto* histogram = reinterpret_cast<Count*>(room);
  Count* sums = histogram + 256 * lanes;
  std::uint64_t occur[4] = {};
  for (std::size_t i = 0; i < rows; ++i) {
    occur[codes[i] / 64] |= std::uint64_t{1} << (codes[i] % 64);
    Counts::add_row(labels.rows + i * lanes, lanes, histogram + codes[i] * lanes);
    if (weighed) ++rows_of[codes[i]];
  }
  Cut best;
  std::size_t left = 0, weight = 0, last = 0;
  Overlap on_left;
  for (std::size_t w = 0; w < 4; ++w)
    for (; occur[w] != 0; occur[w] &= occur[w] - 1) {
      const std::size_t code = w * 64 + static_cast<std::size_t>(std::countr_zero(occur[w]));
      if (left >= least && rows - left >= least) {
        const double gain = gain_of(on_left, labels.total_squares, weight, node.total());
        // Codes that no row of the node has go half to either side.
        if (gain > best.gain) best = {gain, static_cast<std::uint8_t>((last + code - 1) / 2)};
      }
      on_left = Counts::move_on(histogram + code * lanes, lanes, totals, sums);
      weight = static_cast<std::size_t>(sums[lanes - 1]);
      left = weighed ? left + rows_of[code] : weight;
      last = code;
    }
  std::fill_n(sums, lanes, Count{0});
  return best;
}

// What is in 16 vectors as rows becomes columns: four times, every second of the first half of them
// with every second of the other.
HWY_INLINE void turn_square(const std::uint8_t* const* rows, std::size_t stride, std::uint8_t* to) {
  constexpr std::size_t kSide = ByteRows::kBytesAtOnce;
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < kSide; ++i)
    for (std::size_t j = 0; j < kSide; ++j) to[j * stride + i] = rows[i][j];
#else
  const SomeBytes tag;
  hn::Vec<SomeBytes> now[kSide], next[kSide];
  for (std::size_t i = 0; i < kSide; ++i) now[i] = hn::LoadU(tag, rows[i]);
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < kSide / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(tag, now[i], now[i + kSide / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(tag, now[i], now[i + kSide / 2]);
    }
    for (std::size_t i = 0; i < kSide; ++i) now[i] = next[i];
  }
  for (std::size_t i = 0; i < kSide; ++i) hn::StoreU(now[i], tag, to + i * stride);
#endif
}

}  // namespace

void turn(const ByteRows& from, std::size_t stride, std::uint8_t* to) {
  constexpr std::size_t kSide = ByteRows::kBytesAtOnce, kLine = 64;
  const auto row = [&](std::size_t i) { return from.first + from.rows[i] * from.step; };
  for (std::size_t i = 0; i < from.count; i += kSide) {
    const std::uint8_t* rows[kSide];
    for (std::size_t r = 0; r < kSide; ++r) {
      rows[r] = row(std::min(i + r, from.count - 1));
      const std::uint8_t* later = row(std::min(i + kSide + r, from.count - 1));
      for (std::size_t j = 0; j < from.columns + kLine; j += kLine)
        __builtin_prefetch(later + std::min(j, from.columns - 1));
    }
    for (std::size_t j = 0; j < from.columns; j += kSide) {
      turn_square(rows, stride, to + j * stride + i);
      for (const std::uint8_t*& at : rows) at += kSide;
    }
  }
}

void planes_of_bits(const std::uint8_t* bytes, std::size_t count, std::uint64_t* planes,
                    std::size_t words, std::uint32_t* counts) {
  for (std::size_t k = 0; k < 8; ++k) {
    counts[k] = 0;
    for (std::size_t i = 0; i < count; i += 64) {
      const std::uint64_t word =
          first_bits(count - i) & has_bit(bytes + i, static_cast<std::uint8_t>(1U << k));
      planes[k * words + i / 64] = word;
      counts[k] += static_cast<std::uint32_t>(ones(word));
    }
  }
}

std::size_t divide(std::uint32_t* rows, std::size_t count, const std::uint64_t* set,
                   std::uint32_t* second) {
  const hn::CappedTag<std::uint32_t, 16> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t firsts = 0, seconds = 0, i = 0;
  for (; kVectors && i + lanes <= count; i += lanes) {
    const std::uint64_t in = set[i / 64] >> (i % 64), out = ~in;
    const auto some = hn::LoadU(tag, rows + i);
    // Neither reaches rows that were not loaded yet. (Some processors take a hundred cycles to
    // store just the lanes that count.)
    hn::StoreU(hn::CompressBits(some, reinterpret_cast<const std::uint8_t*>(&in)), tag,
               rows + firsts);
    hn::StoreU(hn::CompressBits(some, reinterpret_cast<const std::uint8_t*>(&out)), tag,
               second + seconds);
    const auto found = static_cast<std::size_t>(ones(in & first_bits(lanes)));
    firsts += found;
    seconds += lanes - found;
  }
  for (; i < count; ++i) {
    const bool in = (set[i / 64] >> (i % 64) & 1U) != 0;
    const std::uint32_t row = rows[i];
    rows[firsts] = second[seconds] = row;
    firsts += in ? 1 : 0;
    seconds += in ? 0 : 1;
  }
  return firsts;
}

Cut random_cut(const LabelPlanes& labels, const NodeCodes& of, std::uint32_t random,
               std::uint64_t* set) {
  const auto [low, high] = read_codes(of, labels.rows);
  if (low == high) return {.constant = true};
  const std::uint64_t places = static_cast<std::uint64_t>(high - low);
  const auto code = static_cast<std::uint8_t>(low + (places * random >> 32));
  const std::size_t left = rows_at_most(of.codes, labels.rows, code, set);
  if (left < labels.least || labels.rows - left < labels.least) return {};
  return {gain_by(labels, set, left), code};
}

Cut best_cut(const LabelPlanes& labels, const LabelRows& rows, const NodeCodes& of,
             std::uint32_t* room, std::uint64_t* set) {
  const auto [low, high] = read_codes(of, labels.rows);
  if (low == high) return {.constant = true};
  const Cut cut = !kVectors || labels.total() > SmallCounts::kMost
                      ? walk_cuts<LargeCounts>(labels, rows, rows.totals, of.codes, room)
                      : walk_cuts<SmallCounts>(labels, rows, rows.small_totals, of.codes, room);
  if (cut.gain >= 0) rows_at_most(of.codes, labels.rows, cut.code, set);
  return cut;
}

SplitKernels kernels() {
  return {turn, planes_of_bits, divide, random_cut, best_cut};
}

}  // namespace sieve::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sieve {

HWY_EXPORT(kernels);

SplitKernels split_kernels() {
  return HWY_DYNAMIC_DISPATCH(kernels)();
}

}  // namespace sieve
#endif
