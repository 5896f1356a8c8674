#pragma once

#include <string>
#include <string_view>

namespace sieve {

// Error(Data) that names a file which is certainly of a kind that cannot be read, by its first
// bytes, and says how to convert it.
void refuse_foreign_format(std::string_view front, const std::string& path);

}  // namespace sieve
