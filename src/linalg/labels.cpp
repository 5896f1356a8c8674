#include <algorithm>
#include <bit>
#include <utility>

#include "labelsieve/labels.h"

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

namespace {

constexpr std::size_t kStep = 8;  // rows; those between are counted on the way

}  // namespace

CandidateScores::CandidateScores(LabelMatrix candidates) : candidates_(std::move(candidates)) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < rows(); ++row) {
    if (row % kStep == 0) starts_.push_back(count);
    count += candidates_.count(row);
  }
  values_ = Array<float>(count);
}

CandidateScores::CandidateScores(const Matrix& confidence, LabelMatrix candidates)
    : CandidateScores(std::move(candidates)) {
  for (std::size_t row = 0; row < rows(); ++row) set_row(row, confidence.row(row));
}

std::size_t CandidateScores::row_start(std::size_t row) const {
  std::size_t start = starts_[row / kStep];
  for (std::size_t i = row / kStep * kStep; i < row; ++i) start += candidates_.count(i);
  return start;
}

float CandidateScores::operator()(std::size_t row, std::size_t label) const {
  if (!candidates_.get(row, label)) return 0;
  const std::span<const std::uint64_t> words = candidates_.words(row);
  std::size_t at = row_start(row);
  for (std::size_t w = 0; w < label / 64; ++w)
    at += static_cast<std::size_t>(std::popcount(words[w]));
  const std::uint64_t below = (std::uint64_t{1} << (label % 64)) - 1;
  return values_[at + static_cast<std::size_t>(std::popcount(words[label / 64] & below))];
}

CandidateScores CandidateScores::select_rows(std::span<const std::size_t> rows) const {
  CandidateScores out(candidates_.select_rows(rows));
  float* to = out.values_.data();
  for (const std::size_t row : rows)
    for_each(row, [&](std::size_t, float value) { *to++ = value; });
  return out;
}

void CandidateScores::set_row(std::size_t row, std::span<const float> confidence) {
  std::size_t at = row_start(row);
  candidates_.for_each(row, [&](std::size_t label) { values_[at++] = confidence[label]; });
}

}  // namespace sieve
