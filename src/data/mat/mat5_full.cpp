#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "data/label_columns.h"
#include "data/mat/mat5.h"
#include "labelsieve/error.h"

// A full matrix comes column by column and is kept row by row. It is read in tiles of some columns:
// large enough to fill whole cache lines of the rows, small enough to stay in the cache.
namespace sieve {
namespace {

// Numbers out of a MAT element, whatever type they are stored in.

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
NumberElement next_numbers(Mat5Source& source) {
  const MatTag tag = source.next_tag();
  source.check_size(tag);
  std::size_t width = 0;
  with_number(source, tag.type, [&](auto number) { width = sizeof number; });
  if (tag.size % width != 0) source.refuse("an element ends in the middle of a number");
  return {tag.type, tag.size / width, width};
}

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

// Like next_numbers(), for a full matrix: exactly rows x cols of them.
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

}  // namespace

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

namespace {

constexpr std::size_t kTileBytes = 1U << 20;
constexpr std::size_t kTileCols = 32;
constexpr std::size_t kLine = 16;  // float32 numbers in a cache line

struct Tile {
  std::size_t first_row = 0, first_col = 0;
  std::size_t rows = 0, cols = 0;  // cols > 1 only where rows are all rows
};

// Walks over a matrix in the order of the file.
class Tiles {
 public:
  Tiles(const MatVariable& variable, std::size_t most)
      : rows_(variable.rows()), cols_(variable.cols()), most_(most) {
    wide_ = std::clamp<std::size_t>(most_ / std::max<std::size_t>(rows_, 1), 1, kTileCols);
    if (wide_ > kLine) wide_ -= wide_ % kLine;
  }
  std::size_t largest() const { return std::min(rows_, most_) * std::min(wide_, cols_); }

  Tile next() {
    Tile tile{row_, col_, std::min(most_, rows_ - row_), std::min(wide_, cols_ - col_)};
    row_ += tile.rows;
    if (row_ == rows_) row_ = 0, col_ += tile.cols;
    if (rows_ == 0) tile.cols = 0;
    return tile;
  }

 private:
  std::size_t rows_, cols_, most_, wide_;
  std::size_t row_ = 0, col_ = 0;
};

template <class T>
void check_finite(const Mat5Source& source, const MatVariable& variable, const Tile& tile,
                  const T* values) {
  if constexpr (!std::is_integral_v<T>) {
    const std::size_t count = tile.rows * tile.cols;
    bool fine = true;
    for (std::size_t i = 0; i < count; ++i) fine &= fits_float(values[i]);
    if (fine) return;
    const T* bad = std::find_if_not(values, values + count, fits_float<T>);
    const auto place = static_cast<std::size_t>(bad - values);
    refuse_value(source, variable, tile.first_row + place % tile.rows,
                 tile.first_col + place / tile.rows, static_cast<double>(*bad),
                 "features must be finite float32 numbers");
  }
}

// Turns 8 words of 8 bytes over: byte i of word j goes to byte j of word i.
void transpose_8x8(std::array<std::uint64_t, 8>& words) {
  constexpr std::array<std::uint64_t, 3> kLow = {0x00ff00ff00ff00ff, 0x0000ffff0000ffff,
                                                 0x00000000ffffffff};
  for (unsigned level = 3; level-- > 0;) {
    const unsigned step = 1U << level, bits = 8 * step;
    for (unsigned i = 0; i < 8; ++i) {
      if ((i & step) != 0) continue;
      const std::uint64_t moved = ((words[i] >> bits) ^ words[i + step]) & kLow[level];
      words[i + step] ^= moved;
      words[i] ^= moved << bits;
    }
  }
}

// Numbers of one byte are mostly small counts or flags with many zeros, which a fresh matrix has
// already. Does all whole groups of 8 rows and gives their number.
template <class T>
std::size_t transpose_bytes(const Tile& tile, const T* from, Matrix& out) {
  const std::size_t whole = tile.rows - tile.rows % 8;
  std::array<std::uint64_t, 8> words;
  for (std::size_t i = 0; i < whole; i += 8) {
    for (std::size_t first = 0; first < tile.cols; first += 8) {
      std::uint64_t any = 0;
      for (std::size_t j = 0; j < 8; ++j) {
        std::memcpy(&words[j], from + (first + j) * tile.rows + i, 8);
        any |= words[j];
      }
      if (any == 0) continue;
      transpose_8x8(words);
      for (std::size_t r = 0; r < 8; ++r) {
        if (words[r] == 0) continue;
        float* row = &out(tile.first_row + i + r, tile.first_col + first);
        for (std::size_t j = 0; j < 8; ++j)
          row[j] = static_cast<float>(static_cast<T>(words[r] >> (8 * j)));
      }
    }
  }
  return whole;
}

// A line of each row at a time, so that every line of the matrix is written once and whole.
template <class T>
void transpose(const Tile& tile, const T* values, Matrix& out) {
  std::size_t done = 0;
  if constexpr (sizeof(T) == 1)
    if (tile.cols % 8 == 0) done = transpose_bytes(tile, values, out);
  for (std::size_t line = 0; line < tile.cols; line += kLine) {
    const std::size_t cols = std::min(kLine, tile.cols - line);
    const T* from = values + line * tile.rows;
    float* to = &out(tile.first_row, tile.first_col + line);
    for (std::size_t i = done; i < tile.rows; ++i)
      for (std::size_t j = 0; j < cols; ++j)
        to[i * out.stride() + j] = static_cast<float>(from[j * tile.rows + i]);
  }
}

// Columns of the variable are rows of the matrix.
template <class T>
void copy_columns(const Tile& tile, const T* values, Matrix& out) {
  for (std::size_t j = 0; j < tile.cols; ++j)
    for (std::size_t i = 0; i < tile.rows; ++i)
      out(tile.first_col + j, tile.first_row + i) = static_cast<float>(values[j * tile.rows + i]);
}

// The first tile touches every page of a large matrix. Two threads get the pages sooner than one.
void touch_pages(Matrix& matrix, ThreadPool& pool) {
  constexpr std::size_t kPage = 1024;  // float32 numbers
  volatile float* values = matrix.data();
  pool.for_blocks(matrix.rows() * matrix.stride(), 512 * kPage,
                  [&](std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; i += kPage) values[i] = 0;
                  });
}

// Reads tiles of up to `bytes` bytes and checks them. While one is put into place, the next is read
// (and inflated) if there is a pool.
template <class T>
void read_tiles(Mat5Source& source, const MatVariable& variable, ThreadPool* pool,
                std::size_t bytes, const std::function<void(const Tile&, const T*)>& place) {
  Tiles tiles(variable, bytes / sizeof(T));
  Array<T> front(tiles.largest()), back(pool != nullptr ? tiles.largest() : 0);
  const auto read = [&](Array<T>& into) {
    const Tile tile = tiles.next();
    source.read_unsettled(into.data(), tile.rows * tile.cols * sizeof(T));
    return tile;
  };
  const auto settle_and_place = [&](const Tile& tile, Array<T>& values) {
    source.settle(values.data(), tile.rows * tile.cols, sizeof(T));
    check_finite(source, variable, tile, values.data());
    place(tile, values.data());
  };
  Tile ready = read(front);
  while (ready.cols > 0) {
    if (pool == nullptr) {
      settle_and_place(ready, front);
      ready = read(front);
      continue;
    }
    Tile coming;
    pool->for_each(2, [&](std::size_t part) {
      if (part == 0)  // a refusal of this one comes first, as without a pool
        settle_and_place(ready, front);
      else
        coming = read(back);
    });
    std::swap(front, back);
    ready = coming;
  }
}

}  // namespace

Matrix read_full_matrix(Mat5Source& source, const MatVariable& variable, bool across,
                        ThreadPool* pool) {
  const NumberElement numbers = next_matrix(source, variable);
  Matrix out(across ? variable.cols() : variable.rows(),
             across ? variable.rows() : variable.cols());
  if (pool != nullptr) touch_pages(out, *pool);
  // Very long columns need a larger tile to fill lines; a share of the file's size is allowed.
  const std::size_t bytes = std::max(kTileBytes, variable.bytes.size() / 8);
  with_number(source, numbers.type, [&]<class T>(T) {
    read_tiles<T>(source, variable, pool, bytes, [&](const Tile& tile, const T* values) {
      across ? copy_columns(tile, values, out) : transpose(tile, values, out);
    });
  });
  source.finish();
  return out;
}

void unpack_full_matrix(Mat5Source& source, const MatVariable& variable, ThreadPool* pool,
                        const std::function<void(std::span<const float>)>& put) {
  const NumberElement numbers = next_matrix(source, variable);
  std::vector<float> floats;
  with_number(source, numbers.type, [&]<class T>(T) {
    read_tiles<T>(source, variable, pool, kTileBytes, [&](const Tile& tile, const T* values) {
      floats.resize(tile.rows * tile.cols);
      std::transform(values, values + floats.size(), floats.begin(),
                     [](T value) { return static_cast<float>(value); });
      put(floats);
    });
  });
  source.finish();
}

}  // namespace sieve
