#include "labelsieve/matrix.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>

#include "labelsieve/error.h"
#include "labelsieve/threads.h"
#include "linalg/entries.h"
#include "linalg/paging.h"

namespace sieve {
namespace {

constexpr std::size_t kAlignment = 64, kPage = 4096;
constexpr std::size_t kHuge = std::size_t{16} << 20;  // from here on memory comes by huge pages

bool is_paged(std::size_t capacity) {
  return capacity >= kPagedMemory;
}

std::size_t round_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

[[noreturn]] void refuse(std::size_t capacity) {
  give_memory(capacity);
  throw std::bad_alloc();
}

void* allocate(std::size_t capacity) {
  take_memory(capacity);
  if (is_paged(capacity)) {
    void* memory =
        mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) refuse(capacity);
    if (capacity >= kHuge) prefer_huge_pages(memory, capacity);
    return memory;
  }
  void* memory = std::aligned_alloc(kAlignment, capacity);
  if (memory == nullptr) refuse(capacity);
  std::memset(memory, 0, capacity);
  return memory;
}

void release(void* memory, std::size_t capacity) {
  give_memory(capacity);
  if (is_paged(capacity))
    munmap(memory, capacity);
  else
    std::free(memory);
}

}  // namespace

AlignedBytes::~AlignedBytes() {
  if (data_ != nullptr && !file_) release(data_, capacity_);
}

void AlignedBytes::swap(AlignedBytes& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
}

void AlignedBytes::resize(std::size_t size) {
  if (file_)
    reallocate(size);
  else if (size > capacity_)
    reallocate(may_take_memory(capacity_) ? std::max(size, 2 * capacity_) : size);
  else if (size < size_)
    std::memset(static_cast<char*>(data_) + size, 0, size_ - size);
  size_ = size;
}

void AlignedBytes::shrink_to_fit() {
  if (file_) return;
  const std::size_t needed = is_paged(capacity_) ? std::max(kPagedMemory, round_up(size_, kPage))
                                                 : round_up(size_, kAlignment);
  if (needed < capacity_) reallocate(needed);
}

// Capacities are whole lines below kPagedMemory and whole pages above; bytes past size_ are zero.
void AlignedBytes::reallocate(std::size_t capacity) {
  if (capacity > (std::size_t{1} << 62)) throw std::bad_alloc();
  capacity =
      round_up(std::max(capacity, kAlignment), capacity >= kPagedMemory ? kPage : kAlignment);
  if (file_) {
    void* fresh = allocate(capacity);
    std::memcpy(fresh, data_, std::min(size_, capacity));
    data_ = fresh;
    file_.reset();
  } else if (data_ != nullptr && is_paged(capacity_) && is_paged(capacity)) {
    if (capacity > capacity_) take_memory(capacity - capacity_);
    void* moved = mremap(data_, capacity_, capacity, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) refuse(capacity - std::min(capacity, capacity_));
    if (capacity < capacity_) give_memory(capacity_ - capacity);
    data_ = moved;
  } else {
    void* fresh = allocate(capacity);
    if (data_ != nullptr) {
      std::memcpy(fresh, data_, std::min(size_, capacity));
      release(data_, capacity_);
    }
    data_ = fresh;
  }
  capacity_ = capacity;
}

std::size_t padded_stride(std::size_t cols) {
  return cols >= 16 ? round_up(cols, 16) : std::bit_ceil(cols + (cols == 0));
}

CsrMatrix::Row CsrMatrix::row(std::size_t i) const {
  const std::size_t first = starts[i], count = starts[i + 1] - first;
  return {{columns.data() + first, count}, {values.data() + first, count}};
}

CsrMatrix CsrMatrix::clone() const {
  return {cols, starts.clone(), columns.clone(), values.clone()};
}

Features::Features(Matrix dense) : own_(std::make_shared<Storage>(std::move(dense))) {}
Features::Features(CsrMatrix sparse) : own_(std::make_shared<Storage>(std::move(sparse))) {}

bool Features::is_sparse() const {
  return own_ ? std::holds_alternative<CsrMatrix>(*own_) : outer_ && outer_->sparse;
}

const Features::Storage& Features::whole() const {
  if (!is_plain()) throw std::logic_error("some rows or a caller's were taken for a whole matrix");
  return *own_;
}

Features::Storage& Features::writable() {
  if (!is_plain() || own_.use_count() > 1 || is_mapped(*this)) *this = copied();
  return *own_;
}

std::size_t Features::rows() const {
  if (picked_) return picked_->size();
  if (!own_) return outer_ ? outer_->rows : 0;
  const auto* dense = std::get_if<Matrix>(own_.get());
  return dense ? dense->rows() : std::get<CsrMatrix>(*own_).rows();
}

std::size_t Features::cols() const {
  if (!own_) return outer_ ? outer_->cols : 0;
  const auto* dense = std::get_if<Matrix>(own_.get());
  return dense ? dense->cols() : std::get<CsrMatrix>(*own_).cols;
}

RowEntries Features::row(std::size_t i, RowRoom& room) const {
  i = place(i);
  if (!own_) return outer_->row(i, room);
  if (const auto* dense = std::get_if<Matrix>(own_.get()))
    return {nullptr, dense->row(i).data(), dense->cols()};
  const CsrMatrix::Row row = std::get<CsrMatrix>(*own_).row(i);
  return {row.columns.data(), row.values.data(), row.values.size()};
}

std::size_t Features::nonzeros() const {
  if (is_sparse() && is_plain()) return sparse().nonzeros();
  RowRoom room;
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows(); ++i) {
    const RowEntries entries = row(i, room);
    for (std::size_t e = 0; e < entries.count; ++e) count += entries.values[e] != 0;
  }
  return count;
}

std::size_t Features::bytes() const {
  if (!is_sparse()) return rows() * padded_stride(cols()) * sizeof(float);
  return nonzeros() * 8 + (rows() + 1) * 8;
}

void Features::copy_row(std::size_t i, std::span<float> into) const {
  RowRoom room;
  const RowEntries entries = row(i, room);
  if (!is_sparse()) {
    std::copy_n(entries.values, entries.count, into.begin());
    return;
  }
  std::ranges::fill(into, 0.0F);
  for (std::size_t e = 0; e < entries.count; ++e) into[entries.columns[e]] = entries.values[e];
}

namespace {

void append_row(CsrMatrix& to, const RowEntries& row) {
  for (std::size_t e = 0; e < row.count; ++e) {
    if (is_plain_zero(row.values[e])) continue;  // a caller's rows may hold zeros, ours do not
    to.columns.push_back(row.columns[e]);
    to.values.push_back(row.values[e]);
  }
  to.starts.push_back(to.columns.size());
}

}  // namespace

Features Features::subset(std::span<const std::size_t> rows) const {
  std::vector<std::size_t> places;
  places.reserve(rows.size());
  for (const std::size_t i : rows) places.push_back(place(i));
  Features some = *this;
  some.picked_ = std::make_shared<const std::vector<std::size_t>>(std::move(places));
  return some;
}

Features Features::slice(std::size_t first, std::size_t last) const {
  std::vector<std::size_t> rows(last - first);
  std::iota(rows.begin(), rows.end(), first);
  return subset(rows);
}

Features Features::copied() const {
  if (is_plain()) return is_sparse() ? Features(sparse().clone()) : Features(dense().clone());
  RowRoom room;
  if (is_sparse()) {
    CsrMatrix out;
    out.cols = cols();
    out.starts.push_back(0);
    for (std::size_t i = 0; i < rows(); ++i) append_row(out, row(i, room));
    return out;
  }
  Matrix out(rows(), cols());
  for (std::size_t i = 0; i < rows(); ++i)
    std::copy_n(row(i, room).values, cols(), out.row(i).begin());
  return out;
}

Matrix Features::to_dense(std::size_t budget) const {
  const double bytes =
      static_cast<double>(rows()) * static_cast<double>(padded_stride(cols())) * sizeof(float);
  if (bytes > static_cast<double>(budget))
    throw Error(Failure::Usage,
                "writing these features out densely would take " +
                    std::to_string(static_cast<std::uint64_t>(bytes / 1e6)) +
                    " MB, more than the " + std::to_string(budget / 1000000) + " MB allowed",
                {}, "use a method or format that takes sparse features");
  Matrix out(rows(), cols());
  for (std::size_t i = 0; i < rows(); ++i) copy_row(i, out.row(i));
  return out;
}

CsrMatrix Features::to_sparse() const {
  if (is_sparse()) return std::get<CsrMatrix>(std::move(*copied().own_));
  CsrMatrix out;
  out.cols = cols();
  out.starts.push_back(0);
  RowRoom room;
  for (std::size_t i = 0; i < rows(); ++i) {
    const float* values = row(i, room).values;
    for (std::size_t j = 0; j < cols(); ++j) {
      if (is_plain_zero(values[j])) continue;
      out.columns.push_back(static_cast<std::uint32_t>(j));
      out.values.push_back(values[j]);
    }
    out.starts.push_back(out.columns.size());
  }
  return out;
}

namespace {

// As float32: the numbers themselves where they are that already.
const float* narrowed(const float* values, std::size_t, std::vector<float>&) {
  return values;
}
const float* narrowed(const double* values, std::size_t count, std::vector<float>& room) {
  room.resize(count);
  for (std::size_t j = 0; j < count; ++j) room[j] = static_cast<float>(values[j]);
  return room.data();
}

template <class Index>
const std::uint32_t* narrowed(const Index* columns, std::size_t count,
                              std::vector<std::uint32_t>& room) {
  if constexpr (sizeof(Index) == sizeof(std::uint32_t)) {
    return reinterpret_cast<const std::uint32_t*>(columns);
  } else {
    room.resize(count);
    for (std::size_t e = 0; e < count; ++e) room[e] = static_cast<std::uint32_t>(columns[e]);
    return room.data();
  }
}

template <class Real>
struct OuterDense final : OuterRows {
  RowEntries row(std::size_t i, RowRoom& room) const override {
    return {nullptr, narrowed(values + i * stride, cols, room.values), cols};
  }
  const Real* values;
  std::size_t stride;
};

template <class Real, class Index>
struct OuterSparse final : OuterRows {
  RowEntries row(std::size_t i, RowRoom& room) const override {
    const auto first = static_cast<std::size_t>(starts[i]);
    const std::size_t count = static_cast<std::size_t>(starts[i + 1]) - first;
    return {narrowed(columns + first, count, room.columns),
            narrowed(values + first, count, room.values), count};
  }
  const Index *starts, *columns;
  const Real* values;
};

// As unsigned numbers: negative ones are far too large then.
template <class Index>
void check_sparse(std::size_t cols, std::span<const Index> starts, std::span<const Index> columns,
                  std::size_t values) {
  const auto refuse = [](const std::string& what) {
    throw Error(Failure::Data, "the sparse rows are not in order: " + what, {},
                "sort the columns of each row and add up those that repeat");
  };
  const auto at = [](Index value) { return static_cast<std::size_t>(value); };
  if (columns.size() != values) refuse("there are more columns than values, or fewer");
  if (cols > std::numeric_limits<std::uint32_t>::max()) refuse("there are too many columns");
  if (starts.empty()) return;
  if (at(starts.back()) > values) refuse("the last row ends behind the last value");
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    if (at(starts[i]) > at(starts[i + 1])) refuse("row " + std::to_string(i + 1) + " ends early");
    for (std::size_t e = at(starts[i]); e < at(starts[i + 1]); ++e)
      if (at(columns[e]) >= cols || (e > at(starts[i]) && columns[e - 1] >= columns[e]))
        refuse("column " + std::to_string(columns[e]) + " in row " + std::to_string(i + 1));
  }
}

}  // namespace

template <class Real>
Features view_dense(const Real* values, std::size_t rows, std::size_t cols, std::size_t stride,
                    std::shared_ptr<const void> keep) {
  auto outer = std::make_shared<OuterDense<Real>>();
  outer->rows = rows, outer->cols = cols, outer->keep = std::move(keep);
  outer->values = values, outer->stride = stride;
  return OuterRows::features(std::move(outer));
}

template <class Real, class Index>
Features view_sparse(std::size_t cols, std::span<const Index> starts,
                     std::span<const Index> columns, std::span<const Real> values,
                     std::shared_ptr<const void> keep) {
  check_sparse(cols, starts, columns, values.size());
  auto outer = std::make_shared<OuterSparse<Real, Index>>();
  outer->rows = starts.empty() ? 0 : starts.size() - 1, outer->cols = cols, outer->sparse = true;
  outer->keep = std::move(keep), outer->starts = starts.data();
  outer->columns = columns.data(), outer->values = values.data();
  return OuterRows::features(std::move(outer));
}

#define SIEVE_VIEW_SPARSE(Real, Index)                                                       \
  template Features view_sparse(std::size_t, std::span<const Index>, std::span<const Index>, \
                                std::span<const Real>, std::shared_ptr<const void>);
#define SIEVE_VIEW(Real)                                                           \
  template Features view_dense(const Real*, std::size_t, std::size_t, std::size_t, \
                               std::shared_ptr<const void>);                       \
  SIEVE_VIEW_SPARSE(Real, std::int32_t)                                            \
  SIEVE_VIEW_SPARSE(Real, std::uint32_t)                                           \
  SIEVE_VIEW_SPARSE(Real, std::int64_t)                                            \
  SIEVE_VIEW_SPARSE(Real, std::uint64_t)
SIEVE_VIEW(float)
SIEVE_VIEW(double)
#undef SIEVE_VIEW
#undef SIEVE_VIEW_SPARSE

Features stack_rows(Features above, const Features& below) {
  if (above.is_sparse() || below.is_sparse()) {
    CsrMatrix out = above.is_sparse() ? std::move(above.sparse()) : above.to_sparse();
    if (out.starts.empty()) out.starts.push_back(0);
    const Features more = below.is_sparse() ? below : Features(below.to_sparse());
    RowRoom room;
    for (std::size_t i = 0; i < more.rows(); ++i) append_row(out, more.row(i, room));
    return out;
  }
  Matrix& out = above.dense();
  const std::size_t before = out.rows();
  out.resize_rows(before + below.rows());
  for (std::size_t i = 0; i < below.rows(); ++i) below.copy_row(i, out.row(before + i));
  return above;
}

bool same_values(const Features& a, const Features& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  std::vector<float> left(a.cols()), right(a.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    a.copy_row(i, left);
    b.copy_row(i, right);
    if (!std::ranges::equal(left, right, [](float x, float y) {
          return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
        }))
      return false;
  }
  return true;
}

}  // namespace sieve
