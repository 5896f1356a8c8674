#pragma once

#include <cstddef>

// Multiply-add operations a second (two for each, in 10^9) of `threads` threads that do nothing
// else and touch no memory: what the machine can do right now.
double fma_peak(std::size_t threads);
