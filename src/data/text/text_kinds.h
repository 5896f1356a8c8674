#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sieve {

// What a cell of a table shows if it names a file: by its ending, "image/png" and the like; "" if
// the ending is none of a picture or a sound. Of a URL, the path counts.
std::string media_type(std::string_view name);

// Of a URL, the path without host, query and fragment; any other name as it is.
std::string_view path_of_name(std::string_view name);

// At least `least` words, mostly letters: neither a code nor a time.
bool has_words(std::string_view text, std::size_t least);

// Days since 1970-01-01 of "2024-05-01", "2024-05-01 12:30" or "2024-05-01T12:30:59.5Z"; nullopt
// for anything else, and for days that no calendar has.
std::optional<double> days_of_date(std::string_view text);

// Whether a text looks like a date, also one that does not say which number is the month.
bool looks_like_date(std::string_view text);

}  // namespace sieve
