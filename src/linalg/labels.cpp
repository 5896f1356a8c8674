#include "labelsieve/labels.h"

#include <algorithm>

namespace sieve {

std::size_t LabelMatrix::count(std::size_t row) const {
  std::size_t total = 0;
  for (const std::uint64_t word : words(row))
    total += static_cast<std::size_t>(std::popcount(word));
  return total;
}

std::size_t LabelMatrix::count() const {
  std::size_t total = 0;
  for (std::size_t i = 0; i < rows_; ++i) total += count(i);
  return total;
}

std::vector<std::size_t> LabelMatrix::label_counts() const {
  std::vector<std::size_t> counts(labels_);
  for (std::size_t i = 0; i < rows_; ++i) for_each(i, [&](std::size_t k) { ++counts[k]; });
  return counts;
}

LabelMatrix LabelMatrix::select_rows(std::span<const std::size_t> rows) const {
  LabelMatrix picked(rows.size(), labels_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(words(rows[i]), picked.words(i).begin());
  return picked;
}

LabelMatrix LabelMatrix::select_labels(std::span<const std::size_t> labels) const {
  LabelMatrix picked(rows_, labels.size());
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t k = 0; k < labels.size(); ++k)
      if (get(i, labels[k])) picked.set(i, k);
  return picked;
}

LabelMatrix LabelMatrix::clone() const {
  LabelMatrix copy = share();
  copy.resize_rows(rows_);
  return copy;
}

void LabelMatrix::resize_rows(std::size_t rows) {
  if (bits_ == nullptr)
    bits_ = std::make_shared<Array<std::uint64_t>>();
  else if (bits_.use_count() > 1)
    bits_ = std::make_shared<Array<std::uint64_t>>(bits_->clone());
  bits_->resize(rows * words_);
  data_ = bits_->data();
  rows_ = rows;
}

bool operator==(const LabelMatrix& a, const LabelMatrix& b) {
  const auto bits = [](const LabelMatrix& m) { return std::span(m.data_, m.rows_ * m.words_); };
  return a.rows_ == b.rows_ && a.labels_ == b.labels_ && std::ranges::equal(bits(a), bits(b));
}

std::size_t count_outside(const LabelMatrix& inner, const LabelMatrix& outer) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < inner.rows(); ++i)
    for (std::size_t w = 0; w < inner.words_per_row(); ++w)
      total += static_cast<std::size_t>(std::popcount(inner.words(i)[w] & ~outer.words(i)[w]));
  return total;
}

}  // namespace sieve
