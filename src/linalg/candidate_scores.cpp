#include "labelsieve/labels.h"

#include <bit>
#include <utility>

namespace sieve {
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
