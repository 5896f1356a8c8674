#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

// Ids of rows, joined across files.
namespace sieve {

// Error(Data) for an id that stands twice.
void check_ids(const std::vector<std::string>& ids, const std::string& path);

// Which row of `given` has each of the `wanted` ids. Error(Data) names the first that none has, and
// says how many there are.
std::vector<std::size_t> rows_with_ids(std::span<const std::string> wanted,
                                       std::span<const std::string> given, const std::string& file);

// "12 (a, b, c, ...)": how many there are, and the first few.
std::string counted_names(std::size_t count, std::span<const std::string> first);

}  // namespace sieve
