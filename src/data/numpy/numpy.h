#pragma once

#include "data/formats.h"

// Arrays of NumPy: a .npy file holds one, an .npz file several by name.
namespace sieve {

Likeness looks_like_numpy(std::string_view front);
Dataset read_numpy(InputStream& in, const std::string& path, const ReadOptions& options);
RawSet read_numpy_raw(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_numpy_features(InputStream& in, const std::string& path,
                                const ReadOptions& options, std::size_t rows_before,
                                const TakeFeatures& take);
// As .npz.
void write_numpy(const Dataset& data, OutputStream& out, const WriteOptions& options);

}  // namespace sieve
