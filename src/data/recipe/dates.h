#pragma once

#include <optional>
#include <string_view>

namespace sieve {

// Days since 1970-01-01 of "2024-05-01", "2024-05-01 12:30" or "2024-05-01T12:30:59.5Z"; nullopt
// for anything else, and for days that no calendar has.
std::optional<double> days_of_date(std::string_view text);

// Whether a text looks like a date, also one that does not say which number is the month.
bool looks_like_date(std::string_view text);

}  // namespace sieve
