#pragma once

#include "data/formats.h"

namespace sieve {

Likeness looks_like_binary(std::string_view front);
Dataset read_binary(InputStream& in, const std::string& path, const ReadOptions& options);
void write_binary(const Dataset& data, OutputStream& out, const WriteOptions& options);

}  // namespace sieve
