#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "data/mat/mat5.h"

// Numbers out of a MAT element, whatever type they are stored in.
namespace sieve {

// Calls use(T{}) for the C++ type in which `type` stores one number; Error(Data) if it stores none.
template <class Use>
void with_number(const Mat5Source& source, MatType type, Use&& use) {
  switch (type) {
    case MatType::Int8:
      return use(std::int8_t{});
    case MatType::Uint8:
      return use(std::uint8_t{});
    case MatType::Int16:
      return use(std::int16_t{});
    case MatType::Uint16:
      return use(std::uint16_t{});
    case MatType::Int32:
      return use(std::int32_t{});
    case MatType::Uint32:
      return use(std::uint32_t{});
    case MatType::Single:
      return use(float{});
    case MatType::Double:
      return use(double{});
    case MatType::Int64:
      return use(std::int64_t{});
    case MatType::Uint64:
      return use(std::uint64_t{});
    default:
      source.refuse("a matrix holds something that is not numbers");
  }
}

struct NumberElement {
  MatType type;
  std::size_t count;
  std::size_t width;  // bytes of one number
};
// The next element, which must hold numbers, and no more than the file can hold.
NumberElement next_numbers(Mat5Source& source);
// The same for a full matrix: exactly rows x cols of them.
NumberElement next_matrix(Mat5Source& source, const MatVariable& variable);

// Reads `count` numbers in blocks: use(index of the block's first number, the block).
template <class Use>
void for_each_block(Mat5Source& source, MatType type, std::size_t count, Use&& use) {
  constexpr std::size_t kBlock = 4096;
  std::array<double, kBlock> values;
  with_number(source, type, [&]<class T>(T) {
    std::array<T, kBlock> stored;
    for (std::size_t first = 0; first < count; first += kBlock) {
      const std::size_t size = std::min(kBlock, count - first);
      source.read_numbers(stored.data(), size, sizeof(T));
      std::transform(stored.begin(), stored.begin() + size, values.begin(),
                     [](T value) { return static_cast<double>(value); });
      use(first, std::span<const double>(values.data(), size));
    }
  });
}

// The column-compressed entries of a sparse variable but for their values, which come next.
struct SparsePattern {
  Array<std::uint32_t> rows;    // one per entry, ascending within a column
  Array<std::uint32_t> starts;  // cols + 1
  std::size_t count() const { return starts[starts.size() - 1]; }
};
SparsePattern read_sparse_pattern(Mat5Source& source, const MatVariable& variable);

// Reads the values of a sparse variable: use(row, col, value) in storage order.
template <class Use>
void for_each_entry(Mat5Source& source, const SparsePattern& pattern, Use&& use) {
  const NumberElement numbers = next_numbers(source);
  if (numbers.count < pattern.count()) source.refuse("a sparse matrix has too few values");
  std::size_t col = 0;
  for_each_block(source, numbers.type, pattern.count(),
                 [&](std::size_t first, std::span<const double> values) {
                   for (std::size_t k = 0; k < values.size(); ++k) {
                     while (pattern.starts[col + 1] <= first + k) ++col;
                     use(pattern.rows[first + k], col, values[k]);
                   }
                 });
}

// Whether a value stays a finite number as float32.
template <class T>
bool fits_float(T value) {
  return std::abs(static_cast<float>(value)) <= std::numeric_limits<float>::max();
}

// Error(Data) for the value at `row`, `col` (from 0) of the variable: "data(12, 3) is ..., but
// ...".
[[noreturn]] void refuse_value(const Mat5Source& source, const MatVariable& variable,
                               std::size_t row, std::size_t col, double value,
                               const std::string& rule);

}  // namespace sieve
