#pragma once

#include <cstddef>
#include <string>

namespace sieve {

// Columns to write to on standard output: COLUMNS if it is set (it may be 0), else what the
// terminal says, else 80.
std::size_t terminal_width();

// Emphasis where standard output is a terminal and NO_COLOR is not set; else the text as it is.
std::string bold(const std::string& text);
std::string warning_colour(const std::string& text);

// Writes everything to standard output or standard error, past any buffer. Returns 0 or the errno.
int write_all(int descriptor, const std::string& text);

}  // namespace sieve
