#pragma once

#include <cstddef>
#include <string_view>

namespace sieve {

// At least `least` words, mostly letters: neither a code nor a time.
bool has_words(std::string_view text, std::size_t least);

}  // namespace sieve
