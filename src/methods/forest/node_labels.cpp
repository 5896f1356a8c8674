#include "methods/forest/node_labels.h"

#include <algorithm>

namespace sieve {

NodeLabels::NodeLabels(const LabelMatrix& labels, const SplitKernels& kernels)
    : labels_(labels),
      kernels_(kernels),
      counts_((labels.labels() + 7) / 8 * 8),
      bytes_(padded_rows(labels.rows())),
      columns_(counts_.size() / 8 * labels.rows()),
      planes_(counts_.size() * padded_rows(labels.rows()) / 64) {
  for (std::size_t i = 0; i < labels.rows(); ++i)
    for (std::size_t b = 0; b < counts_.size() / 8; ++b)
      columns_[b * labels.rows() + i] =
          static_cast<std::uint8_t>(labels.words(i)[b / 8] >> (b % 8 * 8));
}

// Planes of labels that vary move up to the front, where those of the next eight are made.
void NodeLabels::read(std::span<const std::uint32_t> rows) {
  rows_ = rows.size();
  words_ = (rows_ + 63) / 64;
  totals_.clear();
  total_squares_ = 0;
  for (std::size_t first = 0; first < labels_.labels(); first += 8) {
    std::uint8_t* __restrict bytes = bytes_.data();
    const std::uint8_t* column = columns_.data() + first / 8 * labels_.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) bytes[i] = column[rows[i]];
    std::uint64_t* planes = planes_.data() + totals_.size() * words_;
    kernels_.planes_of_bits(bytes, rows_, planes, words_, counts_.data() + first);
    std::uint64_t* to = planes;
    for (std::size_t k = 0; k < 8; ++k) {
      const std::uint32_t count = counts_[first + k];
      if (count == 0 || count == rows_) continue;
      if (to != planes + k * words_) std::copy_n(planes + k * words_, words_, to);
      to += words_;
      totals_.push_back(count);
      total_squares_ += std::uint64_t{count} * count;
    }
  }
}

void NodeLabels::write_shares(std::vector<float>& into) const {
  for (std::size_t k = 0; k < labels_.labels(); ++k)
    into.push_back(static_cast<float>(counts_[k]) / static_cast<float>(rows_));
}

LabelRows NodeLabels::label_rows() {
  const std::size_t vary = totals_.size();
  const std::size_t lanes = (vary + kLabelLanes) / kLabelLanes * kLabelLanes;
  lane_totals_.assign(lanes, 0);
  std::ranges::copy(totals_, lane_totals_.begin());
  lane_totals_.back() = static_cast<std::uint32_t>(rows_);
  small_totals_.assign(lane_totals_.begin(), lane_totals_.end());
  lanes_.assign(rows_ * lanes, 0);
  for (std::size_t i = 0; i < rows_; ++i) {
    std::uint8_t* to = lanes_.data() + i * lanes;
    const std::uint64_t* word = planes_.data() + i / 64;
    for (std::size_t p = 0; p < vary; ++p, word += words_)
      to[p] = static_cast<std::uint8_t>(*word >> (i % 64) & 1U);
    to[lanes - 1] = 1;
  }
  return {lanes, lanes_.data(), lane_totals_.data(), small_totals_.data(),
          total_squares_ + rows_ * rows_};
}

}  // namespace sieve
