#pragma once

#include <cstddef>

namespace sieve {

// Rows [first, last) of `from`, `cols` entries each (a multiple of 8), become columns of `to`.
template <class Real>
void transpose_strip(const Real* from, std::size_t stride, std::size_t cols, std::size_t first,
                     std::size_t last, Real* to, std::size_t to_stride);

}  // namespace sieve
