#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace sieve {

// Private to the library: where numbers can be that are not in memory of their own.
class MappedFile;
struct OuterRows;
struct Paging;

// Zeroed memory on a 64-byte boundary that can grow without ever holding two copies of large
// content. Move-only.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(std::size_t size) { resize(size); }
  AlignedBytes(AlignedBytes&& other) noexcept { swap(other); }
  AlignedBytes& operator=(AlignedBytes&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AlignedBytes();

  // New bytes are zero. Amortised constant cost per byte. Throws std::bad_alloc.
  void resize(std::size_t size);
  // Gives memory beyond size() back to the system.
  void shrink_to_fit();
  std::size_t size() const { return size_; }
  void* data() const { return data_; }
  void swap(AlignedBytes& other) noexcept;

 private:
  friend struct Paging;
  void reallocate(std::size_t capacity);
  std::shared_ptr<const MappedFile> file_;  // null: memory
  void* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// A growing array of plain numbers on AlignedBytes. Move-only; copy with clone().
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) : bytes_(size * sizeof(T)), size_(size) {}
  explicit Array(AlignedBytes bytes) : bytes_(std::move(bytes)), size_(bytes_.size() / sizeof(T)) {}
  Array(Array&& other) noexcept
      : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  void resize(std::size_t size) {
    bytes_.resize(size * sizeof(T));
    size_ = size;
  }
  void push_back(T value) {
    resize(size_ + 1);
    data()[size_ - 1] = value;
  }
  void append(std::span<const T> values) {
    const std::size_t before = size_;
    resize(size_ + values.size());
    for (std::size_t i = 0; i < values.size(); ++i) data()[before + i] = values[i];
  }
  void shrink_to_fit() { bytes_.shrink_to_fit(); }
  Array clone() const {
    Array copy;
    copy.append({data(), size_});
    return copy;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return static_cast<T*>(bytes_.data()); }
  const T* data() const { return static_cast<const T*>(bytes_.data()); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  friend struct Paging;
  AlignedBytes bytes_;
  std::size_t size_ = 0;
};

// How far apart rows of `cols` entries lie: a multiple of 16 from 16 columns on (whole 64-byte
// lines of float32), the next power of two below that.
std::size_t padded_stride(std::size_t cols);

// A dense row-major matrix. Row starts are `stride()` entries apart; the padding is zero and stays
// zero. Any of rows and cols may be 0. Move-only; copy with clone().
template <class T>
class BasicMatrix {
 public:
  BasicMatrix() = default;
  BasicMatrix(std::size_t rows, std::size_t cols)
      : rows_(rows), cols_(cols), stride_(padded_stride(cols)), values_(rows * stride_) {}
  // On values that are laid out as those of such a matrix.
  BasicMatrix(std::size_t rows, std::size_t cols, Array<T> values)
      : rows_(rows), cols_(cols), stride_(padded_stride(cols)), values_(std::move(values)) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::span<T> row(std::size_t i) { return {values_.data() + i * stride_, cols_}; }
  std::span<const T> row(std::size_t i) const { return {values_.data() + i * stride_, cols_}; }
  T& operator()(std::size_t i, std::size_t j) { return values_[i * stride_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return values_[i * stride_ + j]; }

  // Adds zero rows at the end (or cuts rows off) without a second copy of the content.
  void resize_rows(std::size_t rows) {
    values_.resize(rows * stride_);
    rows_ = rows;
  }
  void shrink_to_fit() { values_.shrink_to_fit(); }
  const Array<T>& values() const { return values_; }
  BasicMatrix clone() const {
    BasicMatrix copy;
    copy.rows_ = rows_, copy.cols_ = cols_, copy.stride_ = stride_, copy.values_ = values_.clone();
    return copy;
  }

 private:
  std::size_t rows_ = 0, cols_ = 0, stride_ = 0;
  Array<T> values_;
};

using Matrix = BasicMatrix<float>;
using MatrixD = BasicMatrix<double>;

// Compressed sparse rows: row i has the entries [starts[i], starts[i+1]) of `columns` (ascending,
// no repeats) and `values` (no stored +0).
struct CsrMatrix {
  std::size_t cols = 0;
  Array<std::uint64_t> starts;  // rows() + 1 of them, or none for an empty matrix
  Array<std::uint32_t> columns;
  Array<float> values;

  struct Row {
    std::span<const std::uint32_t> columns;
    std::span<const float> values;
  };
  std::size_t rows() const { return starts.empty() ? 0 : starts.size() - 1; }
  std::size_t nonzeros() const { return values.size(); }
  Row row(std::size_t i) const;
  CsrMatrix clone() const;
};

// The entries of a row of features: all columns where `columns` is null.
struct RowEntries {
  const std::uint32_t* columns;
  const float* values;
  std::size_t count;
};

// A buffer for a row that is not stored as RowEntries. One per thread, for any features.
struct RowRoom {
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

// The inputs of a data set: dense or sparse, rows x cols. cols may be 0 (labels only). The numbers
// are in memory, in a mapped file or in a caller's buffer, and this is a view of all rows there or
// of some: copies share the numbers. Whoever asks to write gets memory of their own.
class Features {
 public:
  Features() : Features(Matrix()) {}
  Features(Matrix dense);      // NOLINT: conversion is the point
  Features(CsrMatrix sparse);  // NOLINT

  bool is_sparse() const;
  std::size_t rows() const;
  std::size_t cols() const;
  std::size_t nonzeros() const;  // entries that are not 0; O(rows * cols) when dense
  std::size_t bytes() const;     // memory the numbers of these rows take

  // Row i as float32; it lives until this is destroyed or `room` is used again.
  RowEntries row(std::size_t i, RowRoom& room) const;
  // Row i written out to `into` (cols() entries).
  void copy_row(std::size_t i, std::span<float> into) const;

  // The given rows, in the given order (an index may repeat), or rows [first, last). They are
  // looked at where they are, and all others are kept, too; select_rows() copies them into the same
  // kind of storage.
  Features subset(std::span<const std::size_t> rows) const;
  Features slice(std::size_t first, std::size_t last) const;
  Features select_rows(std::span<const std::size_t> rows) const { return subset(rows).copied(); }

  // Whether all rows are stored as dense() or sparse() has them. plain() brings that about, by a
  // copy where it must.
  bool is_plain() const { return own_ != nullptr && picked_ == nullptr; }
  Features plain() const { return is_plain() ? *this : copied(); }
  const Matrix& dense() const { return std::get<Matrix>(whole()); }
  const CsrMatrix& sparse() const { return std::get<CsrMatrix>(whole()); }
  Matrix& dense() { return std::get<Matrix>(writable()); }
  CsrMatrix& sparse() { return std::get<CsrMatrix>(writable()); }

  // Dense copy; throws Error(Usage) naming the size if it would take more than `budget` bytes.
  Matrix to_dense(std::size_t budget) const;
  CsrMatrix to_sparse() const;

 private:
  friend struct OuterRows;
  friend struct Paging;
  using Storage = std::variant<Matrix, CsrMatrix>;
  explicit Features(std::shared_ptr<const OuterRows> outer) : outer_(std::move(outer)) {}
  std::size_t place(std::size_t i) const { return picked_ ? (*picked_)[i] : i; }
  Features copied() const;
  const Storage& whole() const;
  Storage& writable();

  std::shared_ptr<Storage> own_;  // or outer_
  std::shared_ptr<const OuterRows> outer_;
  std::shared_ptr<const std::vector<std::size_t>> picked_;  // null: all rows
};

// A view of a caller's numbers, which must not move or change while the features or a copy of them
// are in use. `keep` is held as long. float64 is narrowed row by row as it is read.
// Real is float or double, Index a signed or unsigned integer of 32 or 64 bits.

// Rows that begin `stride` numbers apart.
template <class Real>
Features view_dense(const Real* values, std::size_t rows, std::size_t cols, std::size_t stride,
                    std::shared_ptr<const void> keep = nullptr);
// Compressed sparse rows, see CsrMatrix; they may hold zeros. Error(Data) where the columns of a
// row are not ascending or not below `cols`, or the parts do not fit together.
template <class Real, class Index>
Features view_sparse(std::size_t cols, std::span<const Index> starts,
                     std::span<const Index> columns, std::span<const Real> values,
                     std::shared_ptr<const void> keep = nullptr);

// `below` appended under `above`; both need the same number of columns. Sparse if either is.
Features stack_rows(Features above, const Features& below);

// The same numbers bit for bit, whatever the storage (-0 and 0 differ).
bool same_values(const Features& a, const Features& b);

}  // namespace sieve
