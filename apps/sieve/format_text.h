#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes_text.h"
#include "labelsieve/dataset.h"

namespace sieve {

// "2417 x 103 x 14": rows x features x labels, "-" for no features.
std::string shape_text(const DataShape& shape);
std::string percent_text(double share);  // "31.5 %"
std::string decimal_text(double value);  // two places, "-" for NaN
std::string clock_text(double seconds);  // "12 s", "3:20 min", "2:05 h"
// part / whole, 0 for nothing of nothing.
double share_of(std::size_t part, std::size_t whole);

}  // namespace sieve
