#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/dataset.h"

namespace sieve {

// A short text that is the same for the same content (same_content) in the same storage, and
// another one for any other content but by a very rare accident. One pass over the data.
std::string fingerprint(const Dataset& data);

// A number for the content of each of these rows: the same for the same numbers and texts, however
// they are stored and whatever features a recipe makes of them. Labels and ids do not count. Not
// set where that is not known: there are no features, or the table that they were made of was not
// kept (ReadOptions::keep_cells).
std::optional<std::vector<std::uint64_t>> row_fingerprints(const Dataset& data,
                                                           std::span<const std::size_t> rows);

}  // namespace sieve
