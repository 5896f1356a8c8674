#pragma once

#include <cstddef>

namespace sieve {

// How wide tables of text may be from now on, as a terminal is; 0, as at first: any width. A table
// that is wider has a line for the first cell of each row, and below it the others by their names.
void set_table_width(std::size_t columns);

}  // namespace sieve
