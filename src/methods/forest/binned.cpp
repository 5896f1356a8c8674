#include "methods/forest/binned.h"

#include <algorithm>
#include <numeric>

#include "labelsieve/random.h"
#include "linalg/entries.h"
#include "linalg/paging.h"

namespace sieve {
namespace {

constexpr std::size_t kMostCuts = 255;
constexpr std::size_t kSampledRows = 65536;  // enough to know where a 256th of the rows ends
constexpr std::size_t kSampled = 1U << 26;   // numbers, of all features
constexpr std::size_t kRowsAtOnce = 1024;

struct Step {
  float value;
  std::size_t count;
};

// The different values, ascending, and how often each occurs.
std::vector<Step> steps_of(std::span<float> values, std::size_t zeros) {
  std::ranges::sort(values);
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
    const std::size_t parts_left = kMostCuts + 1 - cuts.size();
    const bool all_fit = steps.size() - s <= parts_left;
    if (cuts.size() == kMostCuts || (!all_fit && count * parts_left < left)) continue;
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
  for (std::size_t s = 0; s < sample.size(); ++s)
    for_each_entry(x, sample[s], [&](std::size_t j, float value) { values(j, s) = value; });
  std::vector<std::vector<float>> cuts(x.cols());
  pool.for_each(x.cols(), [&](std::size_t j) { cuts[j] = find_cuts(values.row(j), 0); });
  take_cuts(cuts);
  codes_.resize(rows_ * x.cols());
  for (std::size_t window = 0; window < rows_; window += kWindowRows) {
    const std::size_t count = std::min(kWindowRows, rows_ - window);
    pool.for_blocks(count, kRowsAtOnce, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = window + first; i < window + last; ++i)
        for_each_entry(
            x, i, [&](std::size_t j, float value) { codes_[j * rows_ + i] = code_of(j, value); });
    });
    give_back(x);
  }
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
  take_cuts(cuts);
  codes_.resize(columns_.size());
  pool.for_blocks(rows_, kRowsAtOnce, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first, e = row_starts_[first]; i < last; ++i)
      for_each_entry(x, i, [&](std::size_t j, float value) { codes_[e++] = code_of(j, value); });
  });
  for (std::size_t j = 0; j < x.cols(); ++j) zero_codes_.push_back(code_of(j, 0));
}

void Binned::take_cuts(const std::vector<std::vector<float>>& of_features) {
  starts_.push_back(0);
  for (const std::vector<float>& cuts : of_features) {
    cuts_.insert(cuts_.end(), cuts.begin(), cuts.end());
    starts_.push_back(cuts_.size());
  }
}

// How many cuts lie below the value. Without branches: where they go is hard to foretell.
std::uint8_t Binned::code_of(std::size_t feature, float value) const {
  const float* from = cuts_.data() + starts_[feature];
  std::size_t count = starts_[feature + 1] - starts_[feature], below = 0;
  while (count > 0) {
    const std::size_t half = (count + 1) / 2;
    below += from[below + half - 1] < value ? half : 0;
    count -= half;
  }
  return static_cast<std::uint8_t>(below);
}

std::uint8_t Binned::sparse_code(std::size_t i, std::size_t feature) const {
  const Row entries = row(i);
  const auto found = std::ranges::lower_bound(entries.columns, feature);
  if (found == entries.columns.end() || *found != feature) return zero_codes_[feature];
  return entries.codes[found - entries.columns.begin()];
}

}  // namespace sieve
