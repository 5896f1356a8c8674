#pragma once

#include "data/formats.h"
#include "data/recipe/recipe.h"

namespace sieve::test {

// A reader of columns, with the features that a recipe makes of them.
template <RawSet (*read_raw)(InputStream&, const std::string&, const ReadOptions&)>
Dataset whole(InputStream& in, const std::string& path, const ReadOptions& options) {
  return with_features(read_raw(in, path, options), options);
}

}  // namespace sieve::test
