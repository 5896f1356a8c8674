#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "labelsieve/files.h"
#include "labelsieve/matrix.h"

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

// Numbers that are in a mapped file, and hints to the system about them. What is read stays the
// same; a reader that goes on in pieces stays small by it, whatever the size of the file.

// Rows that are not stored as a matrix of ours: a caller's buffer, or other features seen in
// another form.
struct OuterRows {
  virtual ~OuterRows() = default;
  virtual RowEntries row(std::size_t i, RowRoom& room) const = 0;
  static Features features(std::shared_ptr<const OuterRows> rows) {
    return Features(std::move(rows));
  }
  // Null for rows in a matrix of ours.
  static const OuterRows* of(const Features& x) { return x.own_ ? nullptr : x.outer_.get(); }

  std::size_t rows = 0, cols = 0;
  bool sparse = false;
  std::shared_ptr<const void> keep;
  std::shared_ptr<const Features> behind;  // that are seen in another form; null: a buffer
};

// Rows that are looked at between two calls of give_back().
constexpr std::size_t kWindowRows = 65536;

// Part of a file. It may only be read until resize() makes it memory.
AlignedBytes mapped_bytes(std::shared_ptr<const MappedFile> file, std::size_t offset,
                          std::size_t size);

bool is_mapped(const Features& x);
// Of mapped features: no row will be looked at for a while; rows [first, last) of the file will be
// soon; only these rows of `x` will be. Nothing happens to others.
void give_back(const Features& x);
void will_need(const Features& x, std::size_t first, std::size_t last);
void expect_rows(const Features& x, std::span<const std::size_t> rows);

}  // namespace sieve
