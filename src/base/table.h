#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sieve {

enum class Align { Left, Right };

// A table of text whose columns line up; cells are made visible. Widths count characters as a
// terminal shows them (UTF-8, one column per code point), not bytes.
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

// `text` with everything that could control a terminal escaped, as in "\x1b[2J": control
// characters, those that change the writing direction, and bytes that are not UTF-8; except `kept`.
std::string visible(std::string_view text, std::string_view kept = {});

// Columns that `text` takes on a terminal once it is made visible.
std::size_t display_width(const std::string& text);

// `text`, made visible, cut to `width` columns, the last one an ellipsis if something was cut.
std::string shortened(const std::string& text, std::size_t width);

// `share` (0 to 1) of `width` columns as a bar of block characters, in eighths.
std::string bar(double share, std::size_t width);

// How wide tables of text may be from now on, as a terminal is; 0, as at first: any width. A table
// that is wider has a line for the first cell of each row, and below it the others by their names.
void set_table_width(std::size_t columns);

}  // namespace sieve
