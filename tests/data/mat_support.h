#pragma once

#include <string>

#include "data/formats.h"
#include "support/memory_streams.h"

namespace sieve::test {

inline Dataset load_mat(std::string_view bytes, const ReadOptions& options = {}) {
  MemoryInput in{std::string(bytes)};
  return read_mat(in, "test.mat", options);
}

inline std::string saved_mat(const Dataset& data, const WriteOptions& options = {}) {
  MemoryOutput out;
  write_mat(data, out, options);
  return out.text;
}

}  // namespace sieve::test
