#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sieve {

// One text in two encodings; nullopt if the input is not valid in its own.
std::optional<std::u32string> code_points_of_utf8(std::string_view text);
std::optional<std::u32string> code_points_of_utf16(std::u16string_view text);
std::string to_utf8(std::u32string_view text);  // code points must be valid
std::u16string to_utf16(std::u32string_view text);

}  // namespace sieve
