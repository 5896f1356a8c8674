#include "data/mat/mat5_numbers.h"

#include <fmt/core.h>

#include <numeric>

#include "data/label_columns.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

Array<std::uint32_t> read_indices(Mat5Source& source) {
  const NumberElement numbers = next_numbers(source);
  if (numbers.width != 4) source.refuse("a sparse matrix has no proper indices");
  Array<std::uint32_t> indices(numbers.count);
  source.read_numbers(indices.data(), indices.size(), 4);
  return indices;
}

void drop_zeros(CsrMatrix& matrix) {
  std::size_t kept = 0, entry = 0;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (; entry < matrix.starts[i + 1]; ++entry) {
      if (matrix.values[entry] == 0 && !std::signbit(matrix.values[entry])) continue;
      matrix.columns[kept] = matrix.columns[entry];
      matrix.values[kept++] = matrix.values[entry];
    }
    matrix.starts[i + 1] = kept;
  }
  matrix.columns.resize(kept);
  matrix.values.resize(kept);
}

}  // namespace

NumberElement next_numbers(Mat5Source& source) {
  const MatTag tag = source.next_tag();
  source.check_size(tag);
  std::size_t width = 0;
  with_number(source, tag.type, [&](auto number) { width = sizeof number; });
  if (tag.size % width != 0) source.refuse("an element ends in the middle of a number");
  return {tag.type, tag.size / width, width};
}

NumberElement next_matrix(Mat5Source& source, const MatVariable& variable) {
  const NumberElement numbers = next_numbers(source);
  if (numbers.count != variable.rows() * variable.cols())
    source.refuse("'" + variable.name + "' says it is " + std::to_string(variable.rows()) + " x " +
                  std::to_string(variable.cols()) + " but holds " + std::to_string(numbers.count) +
                  " numbers");
  return numbers;
}

void refuse_value(const Mat5Source& source, const MatVariable& variable, std::size_t row,
                  std::size_t col, double value, const std::string& rule) {
  throw Error(Failure::Data,
              variable.name + "(" + std::to_string(row + 1) + ", " + std::to_string(col + 1) +
                  ") is " + fmt::format("{}", value) + ", but " + rule,
              {source.path(), 0, 0}, "row and column count from 1, as in MATLAB");
}

SparsePattern read_sparse_pattern(Mat5Source& source, const MatVariable& variable) {
  SparsePattern pattern;
  pattern.rows = read_indices(source);
  pattern.starts = read_indices(source);
  const Array<std::uint32_t>& starts = pattern.starts;
  if (starts.size() != variable.cols() + 1 || starts[0] != 0 ||
      !std::is_sorted(starts.begin(), starts.end()) || pattern.count() > pattern.rows.size())
    source.refuse("the columns of the sparse matrix '" + variable.name + "' make no sense");
  for (std::size_t col = 0; col < variable.cols(); ++col)
    for (std::size_t k = starts[col]; k < starts[col + 1]; ++k)
      if (pattern.rows[k] >= variable.rows() ||
          (k > starts[col] && pattern.rows[k] <= pattern.rows[k - 1]))
        source.refuse("the rows of the sparse matrix '" + variable.name + "' make no sense");
  return pattern;
}

CsrMatrix read_sparse_matrix(Mat5Source& source, const MatVariable& variable, bool across) {
  const SparsePattern pattern = read_sparse_pattern(source, variable);
  CsrMatrix matrix;
  matrix.cols = across ? variable.rows() : variable.cols();
  matrix.starts.resize((across ? variable.cols() : variable.rows()) + 1);
  matrix.columns.resize(pattern.count());
  matrix.values.resize(pattern.count());
  if (across)
    std::ranges::copy(pattern.starts, matrix.starts.begin());
  else
    for (std::size_t k = 0; k < pattern.count(); ++k) ++matrix.starts[pattern.rows[k] + 1];
  if (!across) std::partial_sum(matrix.starts.begin(), matrix.starts.end(), matrix.starts.begin());

  Array<std::uint64_t> next = matrix.starts.clone();
  for_each_entry(source, pattern, [&](std::size_t row, std::size_t col, double value) {
    if (!fits_float(value))
      refuse_value(source, variable, row, col, value, "features must be finite float32 numbers");
    const std::size_t place = next[across ? col : row]++;
    matrix.columns[place] = static_cast<std::uint32_t>(across ? row : col);
    matrix.values[place] = static_cast<float>(value);
  });
  source.finish();
  drop_zeros(matrix);
  return matrix;
}

LabelMatrix read_label_matrix(Mat5Source& source, const MatVariable& variable, bool across) {
  const std::size_t rows = across ? variable.cols() : variable.rows();
  const std::size_t labels = across ? variable.rows() : variable.cols();
  LabelMatrix matrix;
  const auto put = [&](std::size_t row, std::size_t col, double value) {
    if (value == 0) return;
    if (value == 1)
      across ? matrix.set(col, row) : matrix.set(row, col);
    else if (value != -1)
      refuse_value(source, variable, row, col, value, "a label is 0, 1 or -1");
  };
  if (variable.kind == MatClass::Sparse) {
    const SparsePattern pattern = read_sparse_pattern(source, variable);
    check_label_budget(rows, labels, variable.bytes.size(), source.path());
    matrix = LabelMatrix(rows, labels);
    for_each_entry(source, pattern, put);
  } else {
    const NumberElement numbers = next_matrix(source, variable);
    matrix = LabelMatrix(rows, labels);
    for_each_block(source, numbers.type, numbers.count,
                   [&](std::size_t first, std::span<const double> values) {
                     for (std::size_t k = 0; k < values.size(); ++k)
                       if (values[k] != 0)
                         put((first + k) % variable.rows(), (first + k) / variable.rows(),
                             values[k]);
                   });
  }
  source.finish();
  return matrix;
}

}  // namespace sieve
