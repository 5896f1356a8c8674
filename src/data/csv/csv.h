#pragma once

#include "data/formats.h"

namespace sieve {

Likeness looks_like_csv(std::string_view front);
Dataset read_csv(InputStream& in, const std::string& path, const ReadOptions& options);
RawSet read_csv_raw(InputStream& in, const std::string& path, const ReadOptions& options);
// The set comes whole where the labels are lists. All features must be numbers.
void read_csv_blocks(InputStream& in, const std::string& path, const ReadOptions& options,
                     std::size_t cells_at_once, const std::function<void(Dataset&&)>& take);
std::size_t read_csv_features(InputStream& in, const std::string& path, const ReadOptions& options,
                              std::size_t rows_before, const TakeFeatures& take);
void write_csv(const Dataset& data, OutputStream& out, const WriteOptions& options);

}  // namespace sieve
