#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sieve {

enum class Align { Left, Right };

// A table of text whose columns line up. Widths count characters as a terminal shows them (UTF-8,
// one column a code point), not bytes.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header, std::vector<Align> align = {});
  void add(std::vector<std::string> row);
  // Lines end in '\n'; no blanks at line ends. A rule stands under the header.
  std::string text() const;

 private:
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns `text` takes on a terminal.
std::size_t display_width(const std::string& text);

// `text` cut to `width` columns, the last one an ellipsis if something was cut.
std::string shortened(const std::string& text, std::size_t width);

// `share` (0 to 1) of `width` columns as a bar of block characters, in eighths.
std::string bar(double share, std::size_t width);

}  // namespace sieve
