#pragma once

#include <string_view>

#include "data/text/numbers.h"
#include "labelsieve/data_io.h"

namespace sieve {

// How the numbers of a text table are written: 1234.5, 1234,5 or 1.234,5.
class NumberMarks {
 public:
  NumberMarks() = default;
  // By the options; where they say nothing, by their recipe.
  explicit NumberMarks(const ReadOptions& options);

  bool plain() const { return decimal_ == '.' && thousands_ == 0; }
  // All of `cell` as one finite number.
  bool parse(std::string_view cell, float& value) const {
    return plain() ? parse_float(cell, value) : parse_marked(cell, value);
  }

 private:
  bool parse_marked(std::string_view cell, float& value) const;
  char decimal_ = '.', thousands_ = 0;
};

}  // namespace sieve
