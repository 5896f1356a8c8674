#include "methods/forest/binned.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "linalg/entries.h"
#include "linalg/paging.h"

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

namespace {

constexpr std::size_t kFew = 128;  // are sorted faster by comparing them
constexpr std::uint32_t kSign = 1U << 31;

// Whole numbers in the order of the numbers.
std::uint32_t key_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

float value_of(std::uint32_t key) {
  return std::bit_cast<float>((key & kSign) != 0 ? key & ~kSign : ~key);
}

}  // namespace

// By one byte of the keys after another, the last first.
void sort_floats(std::span<float> values, std::vector<std::uint32_t>& room) {
  if (values.size() < kFew) {
    std::ranges::sort(values);
    return;
  }
  room.resize(2 * values.size());
  std::uint32_t *from = room.data(), *to = from + values.size();
  std::array<std::array<std::uint32_t, 256>, 4> places{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    from[i] = key_of(values[i]);
    for (std::size_t b = 0; b < 4; ++b) ++places[b][from[i] >> (8 * b) & 255];
  }
  for (std::size_t b = 0; b < 4; ++b) {
    std::uint32_t first = 0;
    for (std::uint32_t& place : places[b]) first += std::exchange(place, first);
    for (std::size_t i = 0; i < values.size(); ++i)
      to[places[b][from[i] >> (8 * b) & 255]++] = from[i];
    std::swap(from, to);
  }
  std::ranges::transform(std::span(from, values.size()), values.begin(), value_of);
}

namespace {

constexpr std::size_t kSampledRows = 65536;  // enough to know where a 256th of the rows ends
constexpr std::size_t kSampled = 1U << 26;   // numbers, of all features
constexpr std::size_t kRowsAtOnce = 1024;

struct Step {
  float value;
  std::size_t count;
};

// The different values, ascending, and how often each occurs.
std::vector<Step> steps_of(std::span<float> values, std::size_t zeros) {
  std::vector<std::uint32_t> room;
  sort_floats(values, room);
  std::vector<Step> steps;
  const auto add = [&](float value, std::size_t count) {
    if (steps.empty() || steps.back().value != value)
      steps.push_back({value, count});
    else
      steps.back().count += count;
  };
  bool zeros_wait = zeros > 0;
  for (const float value : values) {
    if (zeros_wait && value >= 0) {
      add(0, zeros);
      zeros_wait = false;
    }
    add(value, 1);
  }
  if (zeros_wait) add(0, zeros);
  return steps;
}

// Ascending.
std::vector<std::size_t> some_rows(std::size_t rows, std::size_t most, Random random) {
  std::vector<std::size_t> sample(rows);
  std::iota(sample.begin(), sample.end(), std::size_t{0});
  if (rows <= most) return sample;
  for (std::size_t i = 0; i < most; ++i) std::swap(sample[i], sample[i + random.below(rows - i)]);
  sample.resize(most);
  std::ranges::sort(sample);
  return sample;
}

// low <= cut < high
float between(float low, float high) {
  const auto middle = static_cast<float>((double{low} + double{high}) / 2);
  return middle < high ? middle : low;
}

}  // namespace

std::vector<float> find_cuts(std::span<float> values, std::size_t zeros) {
  const std::vector<Step> steps = steps_of(values, zeros);
  std::vector<float> cuts;
  std::size_t left = values.size() + zeros, count = 0;
  for (std::size_t s = 0; s + 1 < steps.size(); ++s) {
    count += steps[s].count;
    const std::size_t parts_left = Cuts::kMost + 1 - cuts.size();
    const bool all_fit = steps.size() - s <= parts_left;
    if (cuts.size() == Cuts::kMost || (!all_fit && count * parts_left < left)) continue;
    cuts.push_back(between(steps[s].value, steps[s + 1].value));
    left -= count;
    count = 0;
  }
  return cuts;
}

Binned::Binned(const Features& x, std::uint64_t seed, ThreadPool& pool) : rows_(x.rows()) {
  if (x.is_sparse())
    bin_sparse(x, pool);
  else
    bin_dense(x, seed, pool);
}

void Binned::bin_dense(const Features& x, std::uint64_t seed, ThreadPool& pool) {
  const std::size_t most = std::max(kSampledRows / 16, std::min(kSampledRows, kSampled / x.cols()));
  const std::vector<std::size_t> sample = some_rows(rows_, most, Random(seed, Purpose::Shuffle));
  Matrix values(x.cols(), sample.size());
  const Features sampled = sample.size() < rows_ ? x.subset(sample) : x;
  for (std::size_t s = 0; s < sample.size(); s += kGroupRows) {
    const RowGroup group(sampled, s, std::min(sample.size(), s + kGroupRows));
    for (std::size_t j = 0; j < x.cols(); ++j)
      for (std::size_t r = 0; r < group.rows().size(); ++r) values(j, s + r) = group.rows()[r][j];
  }
  std::vector<std::vector<float>> cuts(x.cols());
  pool.for_each(x.cols(), [&](std::size_t j) { cuts[j] = find_cuts(values.row(j), 0); });
  for (const std::vector<float>& of_feature : cuts) cuts_.add(of_feature);
  codes_.resize(rows_ * x.cols());
  for (std::size_t window = 0; window < rows_; window += kWindowRows) {
    const std::size_t count = std::min(kWindowRows, rows_ - window);
    pool.for_blocks(count, kRowsAtOnce, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = window + first; i < window + last; i += kGroupRows) {
        const RowGroup group(x, i, std::min(window + last, i + kGroupRows));
        for (std::size_t j = 0; j < x.cols(); ++j)
          cuts_.codes(j, group.rows(), j, codes_.data() + j * rows_ + i);
      }
    });
    give_back(x);
  }
}

void Binned::keep_rows(ThreadPool& pool) {
  by_row_.resize(codes_.size() + ByteRows::kBytesAtOnce);
  pool.for_blocks(rows_, kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = 0; j < features(); ++j)
      for (std::size_t i = first; i < last; ++i) by_row_[i * features() + j] = column(j)[i];
  });
}

ByteRows Binned::bytes_of(std::span<const std::uint32_t> rows) const {
  return {by_row_.data(), features(), rows.data(), rows.size(), features()};
}

void Binned::bin_sparse(const Features& x, ThreadPool& pool) {
  std::vector<std::size_t> ends(x.cols() + 1);
  row_starts_.push_back(0);
  for (std::size_t i = 0; i < rows_; ++i) {
    for_each_entry(x, i, [&](std::size_t j, float) {
      columns_.push_back(static_cast<std::uint32_t>(j));
      ++ends[j + 1];
    });
    row_starts_.push_back(columns_.size());
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  const std::vector<std::size_t> begins = ends;
  std::vector<float> by_feature(columns_.size());
  for (std::size_t i = 0; i < rows_; ++i)
    for_each_entry(x, i, [&](std::size_t j, float value) { by_feature[ends[j]++] = value; });
  std::vector<std::vector<float>> cuts(x.cols());
  pool.for_blocks(x.cols(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) {
      const std::size_t count = begins[j + 1] - begins[j];
      cuts[j] = find_cuts(std::span(by_feature).subspan(begins[j], count), rows_ - count);
    }
  });
  for (const std::vector<float>& of_feature : cuts) cuts_.add(of_feature);
  codes_.resize(columns_.size());
  pool.for_blocks(rows_, kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first, e = row_starts_[first]; i < last; ++i)
      for_each_entry(x, i, [&](std::size_t j, float value) { codes_[e++] = cuts_.code(j, value); });
  });
  for (std::size_t j = 0; j < x.cols(); ++j) zero_codes_.push_back(cuts_.code(j, 0));
}

std::uint8_t Binned::sparse_code(std::size_t i, std::size_t feature) const {
  const Row entries = row(i);
  const auto found = std::ranges::lower_bound(entries.columns, feature);
  if (found == entries.columns.end() || *found != feature) return zero_codes_[feature];
  return entries.codes[found - entries.columns.begin()];
}

}  // namespace sieve
