#include "base/paging.h"

#include <sys/mman.h>

#include <cstdint>

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

}  // namespace sieve
