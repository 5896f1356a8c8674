#pragma once

#include "data/formats.h"

namespace sieve {

Likeness looks_like_libsvm(std::string_view front);
Dataset read_libsvm(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_libsvm_features(InputStream& in, const std::string& path,
                                 const ReadOptions& options, std::size_t rows_before,
                                 const TakeFeatures& take);
void write_libsvm(const Dataset& data, OutputStream& out, const WriteOptions& options);

}  // namespace sieve
