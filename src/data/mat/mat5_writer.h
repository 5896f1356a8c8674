#pragma once

#include "labelsieve/data_io.h"

namespace sieve {

// Writes a level-5 MAT file whose variables are packed, in the classical layout: data (n x d,
// single or sparse double, exact either way), partial_labels and target (q x n, uint8), label_names
// and feature_names (cell arrays of strings). Error(Usage) for a variable of 4 GB and more.
void write_mat5(const Dataset& data, OutputStream& out, const WriteOptions& options);

}  // namespace sieve
