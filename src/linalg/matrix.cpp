#include "labelsieve/matrix.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "labelsieve/memory.h"

namespace sieve {
namespace {

constexpr std::size_t kAlignment = 64, kPage = 4096;
constexpr std::size_t kMapped = std::size_t{1} << 20;  // from here on memory comes by pages
constexpr std::size_t kHuge = std::size_t{16} << 20;   // and from here on by huge ones

bool is_mapped(std::size_t capacity) {
  return capacity >= kMapped;
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
  if (is_mapped(capacity)) {
    void* memory =
        mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) refuse(capacity);
    if (capacity >= kHuge) madvise(memory, capacity, MADV_HUGEPAGE);
    return memory;
  }
  void* memory = std::aligned_alloc(kAlignment, capacity);
  if (memory == nullptr) refuse(capacity);
  std::memset(memory, 0, capacity);
  return memory;
}

void release(void* memory, std::size_t capacity) {
  give_memory(capacity);
  if (is_mapped(capacity))
    munmap(memory, capacity);
  else
    std::free(memory);
}

}  // namespace

AlignedBytes::AlignedBytes(std::shared_ptr<const MappedFile> file, std::size_t offset,
                           std::size_t size)
    : file_(std::move(file)),
      data_(const_cast<char*>(file_->bytes().substr(offset, size).data())),
      size_(size) {}

AlignedBytes::~AlignedBytes() {
  if (data_ != nullptr && !file_) release(data_, capacity_);
}

AlignedBytes AlignedBytes::shared() const {
  const char* begin = static_cast<const char*>(data_);
  return {file_, static_cast<std::size_t>(begin - file_->bytes().data()), size_};
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

void AlignedBytes::prefer_huge_pages() {
  if (!file_ && is_mapped(capacity_)) madvise(data_, capacity_, MADV_HUGEPAGE);
}

void AlignedBytes::shrink_to_fit() {
  if (file_) return;
  const std::size_t needed = is_mapped(capacity_) ? std::max(kMapped, round_up(size_, kPage))
                                                  : round_up(size_, kAlignment);
  if (needed < capacity_) reallocate(needed);
}

// Capacities are whole lines below kMapped and whole pages above; bytes past size_ are zero.
void AlignedBytes::reallocate(std::size_t capacity) {
  if (capacity > (std::size_t{1} << 62)) throw std::bad_alloc();
  capacity = round_up(std::max(capacity, kAlignment), capacity >= kMapped ? kPage : kAlignment);
  if (file_) {
    void* fresh = allocate(capacity);
    std::memcpy(fresh, data_, std::min(size_, capacity));
    data_ = fresh;
    file_.reset();
  } else if (data_ != nullptr && is_mapped(capacity_) && is_mapped(capacity)) {
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

bool Features::is_mapped() const {
  return is_sparse() ? sparse().values.file() != nullptr : dense().values().file() != nullptr;
}

std::variant<Matrix, CsrMatrix>& Features::writable() {
  if (!is_mapped()) return values_;
  const Features& mapped = *this;
  if (is_sparse())
    values_ = mapped.sparse().clone();
  else
    values_ = mapped.dense().clone();
  return values_;
}

namespace {

template <class T>
void give_back(const Array<T>& values) {
  if (values.file()) values.file()->give_back(values.data(), values.size() * sizeof(T));
}

template <class T>
void will_need(const Array<T>& values, std::size_t first, std::size_t last) {
  if (values.file()) values.file()->will_need(values.data() + first, (last - first) * sizeof(T));
}

}  // namespace

void Features::give_back() const {
  if (!is_sparse()) return sieve::give_back(dense().values());
  sieve::give_back(sparse().starts);
  sieve::give_back(sparse().columns);
  sieve::give_back(sparse().values);
}

void Features::will_need(std::size_t first, std::size_t last) const {
  if (!is_mapped() || first == last) return;
  if (!is_sparse())
    return sieve::will_need(dense().values(), first * dense().stride(), last * dense().stride());
  const std::size_t begin = sparse().starts[first], end = sparse().starts[last];
  sieve::will_need(sparse().columns, begin, end);
  sieve::will_need(sparse().values, begin, end);
}

std::size_t Features::rows() const {
  return is_sparse() ? sparse().rows() : dense().rows();
}

std::size_t Features::cols() const {
  return is_sparse() ? sparse().cols : dense().cols();
}

std::size_t Features::nonzeros() const {
  if (is_sparse()) return sparse().nonzeros();
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows(); ++i)
    for (const float value : dense().row(i)) count += value != 0;
  return count;
}

std::size_t Features::bytes() const {
  if (!is_sparse()) return dense().rows() * dense().stride() * sizeof(float);
  return sparse().nonzeros() * 8 + sparse().starts.size() * 8;
}

void Features::copy_row(std::size_t i, std::span<float> into) const {
  if (!is_sparse()) {
    std::ranges::copy(dense().row(i), into.begin());
    return;
  }
  std::ranges::fill(into, 0.0F);
  const CsrMatrix::Row row = sparse().row(i);
  for (std::size_t k = 0; k < row.columns.size(); ++k) into[row.columns[k]] = row.values[k];
}

namespace {

void append_row(CsrMatrix& to, const CsrMatrix::Row& row) {
  to.columns.append(row.columns);
  to.values.append(row.values);
  to.starts.push_back(to.columns.size());
}

bool is_plain_zero(float value) {
  return std::bit_cast<std::uint32_t>(value) == 0;
}

}  // namespace

Features Features::select_rows(std::span<const std::size_t> rows) const {
  if (is_sparse()) {
    CsrMatrix picked;
    picked.cols = cols();
    picked.starts.push_back(0);
    for (const std::size_t i : rows) append_row(picked, sparse().row(i));
    return picked;
  }
  Matrix picked(rows.size(), cols());
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::ranges::copy(dense().row(rows[k]), picked.row(k).begin());
  return picked;
}

Features Features::clone() const {
  if (!is_mapped()) return is_sparse() ? Features(sparse().clone()) : Features(dense().clone());
  if (!is_sparse()) return Matrix(rows(), cols(), dense().values().shared());
  const CsrMatrix& all = sparse();
  return CsrMatrix{cols(), all.starts.shared(), all.columns.shared(), all.values.shared()};
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
  if (is_sparse()) return sparse().clone();
  CsrMatrix out;
  out.cols = cols();
  out.starts.push_back(0);
  for (std::size_t i = 0; i < rows(); ++i) {
    const std::span<const float> row = dense().row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (is_plain_zero(row[j])) continue;
      out.columns.push_back(static_cast<std::uint32_t>(j));
      out.values.push_back(row[j]);
    }
    out.starts.push_back(out.columns.size());
  }
  return out;
}

Features stack_rows(Features above, const Features& below) {
  if (above.is_sparse() || below.is_sparse()) {
    CsrMatrix out = above.is_sparse() ? std::move(above.sparse()) : above.to_sparse();
    if (out.starts.empty()) out.starts.push_back(0);
    const CsrMatrix converted = below.is_sparse() ? CsrMatrix{} : below.to_sparse();
    const CsrMatrix& more = below.is_sparse() ? below.sparse() : converted;
    for (std::size_t i = 0; i < more.rows(); ++i) append_row(out, more.row(i));
    return out;
  }
  const std::size_t before = above.rows();
  above.dense().resize_rows(before + below.rows());
  for (std::size_t i = 0; i < below.rows(); ++i)
    std::ranges::copy(below.dense().row(i), above.dense().row(before + i).begin());
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
