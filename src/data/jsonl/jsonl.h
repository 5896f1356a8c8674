#pragma once

#include "data/formats.h"

// JSON lines: an object on each line, or a list of numbers.
namespace sieve {

Likeness looks_like_jsonl(std::string_view front);
Dataset read_jsonl(InputStream& in, const std::string& path, const ReadOptions& options);
RawSet read_jsonl_raw(InputStream& in, const std::string& path, const ReadOptions& options);
std::size_t read_jsonl_features(InputStream& in, const std::string& path,
                                const ReadOptions& options, std::size_t rows_before,
                                const TakeFeatures& take);
void write_jsonl(const Dataset& data, OutputStream& out, const WriteOptions& options);

}  // namespace sieve
