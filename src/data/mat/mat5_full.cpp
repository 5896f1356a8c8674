#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

#include "data/mat/mat5_numbers.h"

// A full matrix comes column by column and is kept row by row. It is read in tiles of some columns:
// large enough to fill whole cache lines of the rows, small enough to stay in the cache.
namespace sieve {
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
