#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "methods/forest/node.h"

namespace sieve {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kSlotBytes = std::size_t{1} << 24;

}  // namespace

NodeFeatures::NodeFeatures(const Binned& x, std::size_t wanted, const SplitKernels& kernels)
    : x_(x), wanted_(wanted), kernels_(kernels) {
  if (x.is_sparse()) {
    seen_.resize(x.features());
    slot_.resize(x.features(), kNone);
    met_.resize(x.features() + 1);
    codes_.resize(std::max(2 * padded_rows(x.rows()), kSlotBytes));
  } else {
    order_.resize(x.features());
    codes_.resize(padded_rows(x.rows()));
  }
}

void NodeFeatures::begin_tree() {
  std::iota(order_.begin(), order_.end(), 0U);
}

void NodeFeatures::bring_near(std::span<const std::uint32_t> rows) {
  is_near_ = true;
  near_stride_ = padded_rows(rows.size());
  const std::size_t columns = x_.features() + ByteRows::kBytesAtOnce;
  if (near_.size() < near_stride_ * columns) near_.resize(near_stride_ * columns);
  kernels_.turn(x_.bytes_of(rows), near_stride_, near_.data());
}

// Features whose codes are read in one pass over the rows.
std::size_t NodeFeatures::slots(std::size_t rows) const {
  return codes_.size() / padded_rows(rows) - 1;
}

// Nothing here can be guessed by a processor, so nothing is left to a branch.
void NodeFeatures::draw_sparse(std::span<const std::uint32_t> rows, Random& random) {
  std::size_t met = 0;
  for (const std::uint32_t i : rows) {
    const Binned::Row entries = x_.row(i);
    for (std::size_t e = 0; e < entries.columns.size(); ++e) {
      Seen& seen = seen_[entries.columns[e]];
      met_[met] = entries.columns[e];
      met += seen.count++ == 0 ? 1 : 0;
      seen.low = std::min(seen.low, entries.codes[e]);
      seen.high = std::max(seen.high, entries.codes[e]);
    }
  }
  std::size_t vary = 0;
  for (std::size_t k = 0; k < met; ++k) {
    const std::uint32_t j = met_[k];
    const Seen seen = std::exchange(seen_[j], {});
    const std::uint8_t zero = seen.count < rows.size() ? x_.zero_code(j) : seen.low;
    met_[vary] = j;
    vary += std::min(seen.low, zero) < std::max(seen.high, zero) ? 1 : 0;
  }
  const std::size_t count = std::min(wanted_, vary);
  for (std::size_t k = 0; k < count; ++k) std::swap(met_[k], met_[k + random.below(vary - k)]);
  drawn_.assign(met_.begin(), met_.begin() + static_cast<std::ptrdiff_t>(count));
}

// The codes of features that were not drawn go into a slot behind the others.
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
      codes_[std::min<std::size_t>(slot_[entries.columns[e]], count) * stride + i] =
          entries.codes[e];
  }
  for (std::size_t s = 0; s < count; ++s) slot_[drawn_[first + s]] = kNone;
}

NodeLabels::NodeLabels(const LabelMatrix& labels, std::span<const std::uint8_t> weights,
                       const SplitKernels& kernels)
    : labels_(labels),
      weights_(weights),
      weight_planes_(weights.empty() ? 0 : padded_rows(labels.rows()) / 8),
      kernels_(kernels),
      counts_((labels.labels() + 7) / 8 * 8),
      vary_(labels.words_per_row()),
      label_room_(labels.labels()),
      bytes_(padded_rows(labels.rows())),
      columns_(counts_.size() / 8 * labels.rows()),
      planes_(counts_.size() * padded_rows(labels.rows()) / 64) {
  for (const std::uint8_t weight : weights)
    weight_bits_ = std::max<std::size_t>(weight_bits_, std::bit_width(weight));
  for (std::size_t i = 0; i < labels.rows(); ++i)
    for (std::size_t b = 0; b < counts_.size() / 8; ++b)
      columns_[b * labels.rows() + i] =
          static_cast<std::uint8_t>(labels.words(i)[b / 8] >> (b % 8 * 8));
}

void NodeLabels::bring_near(std::span<const std::uint32_t> rows) {
  is_near_ = false;
  near_rows_ = rows.size();
  near_columns_.resize(counts_.size() / 8 * rows.size());
  for (std::size_t b = 0; b < counts_.size() / 8; ++b)
    for (std::size_t i = 0; i < rows.size(); ++i)
      near_columns_[b * rows.size() + i] = column(b)[rows[i]];
  near_weights_.clear();
  if (!weights_.empty())
    for (const std::uint32_t row : rows) near_weights_.push_back(weights_[row]);
  is_near_ = true;
}

void NodeLabels::read_weights(std::span<const std::uint32_t> rows) {
  weight_ = rows.size();
  if (weights_.empty()) return;
  for (std::size_t i = 0; i < rows.size(); ++i) bytes_[i] = weights()[rows[i]];
  std::array<std::uint32_t, 8> counts{};
  kernels_.planes_of_bits(bytes_.data(), rows_, weight_planes_.data(), words_, counts.data());
  weight_ = 0;
  for (std::size_t b = 0; b < weight_bits_; ++b) weight_ += std::size_t{counts[b]} << b;
}

// Of the `count` rows of a plane.
std::uint32_t NodeLabels::weight_of(const std::uint64_t* plane, std::uint32_t count) const {
  if (weights_.empty()) return count;
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < weight_bits_; ++b)
    for (std::size_t w = 0; w < words_; ++w)
      sum += static_cast<std::uint64_t>(std::popcount(plane[w] & weight_planes_[b * words_ + w]))
             << b;
  return static_cast<std::uint32_t>(sum);
}

// Planes of labels that vary move up to the front, where those of the next eight are made.
void NodeLabels::read(std::span<const std::uint32_t> rows) {
  rows_ = rows.size();
  words_ = (rows_ + 63) / 64;
  totals_.clear();
  total_squares_ = 0;
  std::ranges::fill(vary_, 0);
  read_weights(rows);
  for (std::size_t first = 0; first < labels_.labels(); first += 8) {
    std::uint8_t* __restrict bytes = bytes_.data();
    const std::uint8_t* from = column(first / 8);
    for (std::size_t i = 0; i < rows.size(); ++i) bytes[i] = from[rows[i]];
    std::uint64_t* planes = planes_.data() + totals_.size() * words_;
    kernels_.planes_of_bits(bytes, rows_, planes, words_, counts_.data() + first);
    std::uint64_t* to = planes;
    for (std::size_t k = 0; k < 8; ++k) {
      const std::uint32_t count = counts_[first + k];
      if (count == 0 || count == rows_) continue;
      if (to != planes + k * words_) std::copy_n(planes + k * words_, words_, to);
      const std::uint64_t total = weight_of(to, count);
      to += words_;
      totals_.push_back(static_cast<std::uint32_t>(total));
      vary_[(first + k) / 64] |= std::uint64_t{1} << ((first + k) % 64);
      total_squares_ += total * total;
    }
  }
}

void NodeLabels::write_shares(std::vector<float>& into) const {
  for (std::size_t k = 0; k < labels_.labels(); ++k)
    into.push_back(static_cast<float>(counts_[k]) / static_cast<float>(rows_));
}

LabelWords NodeLabels::row_words(std::span<const std::uint32_t> rows) {
  constexpr std::size_t kEachLabel = 4;
  if (!weights_.empty() || rows.empty()) return {};
  const std::size_t ticks = std::accumulate(totals_.begin(), totals_.end(), std::size_t{0});
  return {labels_.words(0).data(),
          labels_.words_per_row(),
          rows.data(),
          vary_.data(),
          counts_.data(),
          label_room_.data(),
          1 + labels_.words_per_row() + kEachLabel * ticks / rows.size()};
}

LabelRows NodeLabels::label_rows(std::span<const std::uint32_t> rows) {
  const std::size_t vary = totals_.size();
  const std::size_t lanes = (vary + kLabelLanes) / kLabelLanes * kLabelLanes;
  lane_totals_.assign(lanes, 0);
  std::ranges::copy(totals_, lane_totals_.begin());
  lane_totals_.back() = static_cast<std::uint32_t>(weight_);
  small_totals_.assign(lane_totals_.begin(), lane_totals_.end());
  lanes_.assign(rows_ * lanes, 0);
  for (std::size_t i = 0; i < rows_; ++i) {
    std::uint8_t* to = lanes_.data() + i * lanes;
    const std::uint64_t* word = planes_.data() + i / 64;
    const std::uint8_t weight = weights_.empty() ? std::uint8_t{1} : weights()[rows[i]];
    for (std::size_t p = 0; p < vary; ++p, word += words_)
      to[p] = static_cast<std::uint8_t>((*word >> (i % 64) & 1U) * weight);
    to[lanes - 1] = weight;
  }
  return {lanes, lanes_.data(), lane_totals_.data(), small_totals_.data(),
          total_squares_ + weight_ * weight_};
}

}  // namespace sieve
