#pragma once

#include <string>
#include <utility>

#include "data/formats.h"
#include "data/recipe/recipe.h"
#include "support/memory_streams.h"

namespace sieve::test {

inline Dataset from_csv(std::string text, const ReadOptions& options = {}) {
  MemoryInput in(std::move(text));
  return with_features(read_csv_raw(in, "t.csv", options), options);
}

inline std::string csv_text(const Dataset& data, const WriteOptions& options = {}) {
  MemoryOutput out;
  write_csv(data, out, options);
  return out.text;
}

}  // namespace sieve::test
