#pragma once

#include <cstddef>
#include <string_view>

#include "labelsieve/files.h"

// Hints to the system about memory. Nothing that is read changes by it.
namespace sieve {

// Of a part of a mapped file. give_back(): the pages inside it leave this program's memory until
// they are accessed again. will_need(): it will be accessed soon, in any order.
void give_back(const MappedFile& file, std::string_view part);
void will_need(const MappedFile& file, std::string_view part);

// Memory from this size on comes by whole pages of its own, see AlignedBytes.
constexpr std::size_t kPagedMemory = std::size_t{1} << 20;

// Of memory from AlignedBytes. Worth it for what is gone through again and again: fewer addresses
// to look up, some more memory. Nothing happens to less than kPagedMemory.
void prefer_huge_pages(const void* memory, std::size_t size);

}  // namespace sieve
