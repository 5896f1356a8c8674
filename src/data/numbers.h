#pragma once

#include <string>
#include <string_view>

namespace sieve {

// Reads a decimal number at [first, last) as the nearest float32. Returns the end of the number, or
// null if there is none or it is not finite (nan, inf, 1e400). Too small to represent becomes 0.
// Leading '+' is allowed. Never looks at the locale.
const char* scan_float(const char* first, const char* last, float& value);

// All of `text` as one number.
bool parse_float(std::string_view text, float& value);

// Why `text` is not a number we take, for a message: "'nan' is not a finite number" and so on.
std::string number_problem(std::string_view text);

// The shortest decimal that reads back as the same float32.
void append_float(std::string& out, float value);

}  // namespace sieve
