#pragma once

#include <string>
#include <string_view>

namespace sieve {

// Error(Data) that names a file which is certainly of a kind that cannot be read, by its first
// bytes, and says how to convert it.
void refuse_stranger(std::string_view front, const std::string& path);

}  // namespace sieve
