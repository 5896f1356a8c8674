#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "labelsieve/matrix.h"

// Numbers that are in a mapped file, and what the system is told about them. What is read stays the
// same; a reader that goes on in pieces stays small by it, whatever the size of the file.
namespace sieve {

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
