#include "linalg/paging.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace sieve {
namespace {

enum class Pages { Inside, Touched };

// Advice covers whole pages.
void advise(const void* from, std::size_t size, Pages pages, int advice) {
  constexpr std::uintptr_t kPage = 4096;
  const bool outer = pages == Pages::Touched;
  const auto begin = reinterpret_cast<std::uintptr_t>(from), end = begin + size;
  const std::uintptr_t first = (outer ? begin : begin + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (outer ? end + kPage - 1 : end) / kPage * kPage;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, advice);
}

}  // namespace

void give_back(const MappedFile& /*file*/, std::string_view part) {
  advise(part.data(), part.size(), Pages::Inside, MADV_DONTNEED);
}

void will_need(const MappedFile& /*file*/, std::string_view part) {
  advise(part.data(), part.size(), Pages::Touched, MADV_WILLNEED);
}

void prefer_huge_pages(const void* memory, std::size_t size) {
  if (size >= kPagedMemory) advise(memory, size, Pages::Touched, MADV_HUGEPAGE);
}

// What the matrices show to nobody else.
struct Paging {
  static AlignedBytes bytes(std::shared_ptr<const MappedFile> file, std::size_t offset,
                            std::size_t size) {
    AlignedBytes out;
    out.data_ = const_cast<char*>(file->bytes().substr(offset, size).data());
    out.size_ = size;
    out.file_ = std::move(file);
    return out;
  }

  template <class T>
  static const MappedFile* file(const Array<T>& values) {
    return values.bytes_.file_.get();
  }

  // The matrix behind mapped features, or null.
  static const Features::Storage* mapped(const Features& x) {
    if (x.outer_ && x.outer_->behind) return mapped(*x.outer_->behind);
    if (!x.own_) return nullptr;
    const auto* dense = std::get_if<Matrix>(x.own_.get());
    const auto& values = dense ? dense->values() : std::get<CsrMatrix>(*x.own_).values;
    return file(values) != nullptr ? x.own_.get() : nullptr;
  }

  static std::size_t place(const Features& x, std::size_t i) {
    i = x.place(i);
    return x.outer_ && x.outer_->behind ? place(*x.outer_->behind, i) : i;
  }
};

namespace {

template <class T>
std::string_view part_of(const Array<T>& values, std::size_t first, std::size_t last) {
  return {reinterpret_cast<const char*>(values.data() + first), (last - first) * sizeof(T)};
}

template <class T>
void give_back(const Array<T>& values) {
  if (const MappedFile* file = Paging::file(values))
    give_back(*file, part_of(values, 0, values.size()));
}

template <class T>
void will_need(const Array<T>& values, std::size_t first, std::size_t last) {
  will_need(*Paging::file(values), part_of(values, first, last));
}

}  // namespace

AlignedBytes mapped_bytes(std::shared_ptr<const MappedFile> file, std::size_t offset,
                          std::size_t size) {
  return Paging::bytes(std::move(file), offset, size);
}

bool is_mapped(const Features& x) {
  return Paging::mapped(x) != nullptr;
}

void give_back(const Features& x) {
  const auto* storage = Paging::mapped(x);
  if (storage == nullptr) return;
  if (const auto* dense = std::get_if<Matrix>(storage)) return give_back(dense->values());
  const CsrMatrix& sparse = std::get<CsrMatrix>(*storage);
  give_back(sparse.starts);
  give_back(sparse.columns);
  give_back(sparse.values);
}

void will_need(const Features& x, std::size_t first, std::size_t last) {
  const auto* storage = Paging::mapped(x);
  if (storage == nullptr || first == last) return;
  if (const auto* dense = std::get_if<Matrix>(storage))
    return will_need(dense->values(), first * dense->stride(), last * dense->stride());
  const CsrMatrix& sparse = std::get<CsrMatrix>(*storage);
  const std::size_t begin = sparse.starts[first], end = sparse.starts[last];
  will_need(sparse.columns, begin, end);
  will_need(sparse.values, begin, end);
}

void expect_rows(const Features& x, std::span<const std::size_t> rows) {
  if (!is_mapped(x) || rows.empty()) return;
  std::size_t first = Paging::place(x, rows.front()), last = first;
  for (const std::size_t row : rows) {
    const std::size_t i = Paging::place(x, row);
    first = std::min(first, i), last = std::max(last, i);
  }
  give_back(x);
  will_need(x, first, last + 1);
}

}  // namespace sieve
