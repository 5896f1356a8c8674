#pragma once

#include "data/formats.h"

namespace sieve {

Dataset read_mat(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_mat_features(InputStream& in, const std::string& path, const ReadOptions& options,
                              std::size_t rows_before, const TakeFeatures& take);
void write_mat(const Dataset& data, OutputStream& out, const WriteOptions& options);

}  // namespace sieve
