// All memory of the command goes through the count that --max-memory limits, not that of matrices
// alone. Only the program itself has these, for a library must not replace its user's.
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "labelsieve/threads.h"

namespace {

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  if (!sieve::has_memory_limit()) return memory;
  try {
    sieve::take_memory(::malloc_usable_size(memory));
  } catch (...) {
    std::free(memory);
    throw;
  }
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr && sieve::has_memory_limit())
    sieve::give_memory(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(std::malloc(size == 0 ? 1 : size));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (...) {
    return nullptr;
  }
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(to, (size + to - 1) / to * to));
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
