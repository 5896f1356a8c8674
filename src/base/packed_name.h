#pragma once

#include <string_view>

namespace sieve {

// The name of a file once it is unpacked: without the .gz at its end, if it has one.
std::string_view unpacked_name(std::string_view path);

}  // namespace sieve
