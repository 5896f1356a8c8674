#pragma once

#include <cstddef>
#include <string>

#include "base/bytes_text.h"

namespace sieve {

std::string percent_text(double share);              // "31.5 %"
std::string percent_range(double low, double high);  // "28.0 to 31.5 %"
std::string decimal_text(double value);              // two places, "-" for NaN
// "0.012", "0.00031", "2.1e-06": places enough to tell small ones apart.
std::string probability_text(double probability);
std::string count_text(std::size_t count, const std::string& thing);  // "1 row", "2 rows"
// The first `most` bytes or so in one line, with "…" where something was cut off.
std::string excerpt(std::string text, std::size_t most);
std::string clock_text(double seconds);  // "12 s", "3:20 min", "2:05 h"
// part / whole, 0 if both are 0.
double share_of(std::size_t part, std::size_t whole);

}  // namespace sieve
