#pragma once

#include <string>
#include <string_view>

namespace sieve {

// The name without blanks of any kind at either end; "" if there is nothing else.
std::string reviewer_name(std::string_view text);

}  // namespace sieve
