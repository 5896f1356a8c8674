#include "metrics/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "labelsieve/error.h"

namespace sieve {
namespace {

void check_shape(std::string_view name, std::size_t rows, std::size_t labels,
                 const LabelMatrix& truth) {
  if (rows == truth.rows() && labels == truth.labels()) return;
  throw Error(Failure::Data,
              fmt::format("the {} are {} rows x {} labels but the truth is {} rows x {} labels",
                          name, rows, labels, truth.rows(), truth.labels()),
              {}, "give both for the same rows and the same labels, in the same order");
}

}  // namespace

void check_shape(std::string_view name, const LabelMatrix& given, const LabelMatrix& truth) {
  check_shape(name, given.rows(), given.labels(), truth);
}

template <class T>
void check_numbers(const BasicMatrix<T>& scores) {
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    const auto bad = std::ranges::find_if(row, [](T score) { return std::isnan(score); });
    if (bad == row.end()) continue;
    throw Error(Failure::Data,
                fmt::format("the score of row {}, label {} is not a number (both count from 1)",
                            i + 1, bad - row.begin() + 1),
                {}, "find out why the scores hold NaN; infinite scores are fine");
  }
}

void check_scores(const CandidateScores& scores, const LabelMatrix& truth) {
  check_shape("scores", scores.rows(), scores.labels(), truth);
}

template <class T>
void check_scores(const BasicMatrix<T>& scores, const LabelMatrix& truth) {
  check_shape("scores", scores.rows(), scores.cols(), truth);
  check_numbers(scores);
}

template void check_numbers(const BasicMatrix<float>&);
template void check_numbers(const BasicMatrix<double>&);
template void check_scores(const BasicMatrix<float>&, const LabelMatrix&);
template void check_scores(const BasicMatrix<double>&, const LabelMatrix&);

}  // namespace sieve
