#pragma once

#include <optional>
#include <string>
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
    if (plain()) return parse_float(cell, value);
    const std::optional<std::string> text = plain_text(cell);
    return text && parse_float(*text, value);
  }
  // The cell with a decimal point and without marks between digits, nothing where they are not in
  // their places.
  std::optional<std::string> plain_text(std::string_view cell) const;

 private:
  char decimal_ = '.', thousands_ = 0;
};

}  // namespace sieve
