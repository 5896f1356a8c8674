#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/error.h"

namespace sieve {

// Walks over the cells of the rows of a CSV text (RFC 4180). Quoted cells may hold delimiters, line
// ends and doubled quotes; blanks around a cell do not count. Throws Error(Data) for bad quoting.
class CellCursor {
 public:
  CellCursor(std::string_view text, std::size_t first_line, char delimiter, const std::string& file)
      : p_(text.data()),
        end_(text.data() + text.size()),
        line_start_(p_),
        line_(first_line),
        delimiter_(delimiter),
        file_(file) {}

  // The next cell of the row; false when the row is over.
  bool next();

  std::string_view cell() const { return cell_; }
  Place place() const { return {file_, cell_line_, cell_column_}; }
  const char* position() const { return p_; }
  std::size_t line() const { return line_; }

 private:
  void skip_blanks();
  void read_plain();
  void read_quoted();
  void note_line_end(const char* at);

  const char *p_, *end_, *line_start_;
  std::size_t line_, cell_line_ = 0, cell_column_ = 0;
  char delimiter_;
  bool row_over_ = false;
  const std::string& file_;
  std::string_view cell_;
  std::string unquoted_;
};

// The cells of one row, which begins in that line of the file.
std::vector<std::string> cells_of(std::string_view row, std::size_t first_line, char delimiter,
                                  const std::string& file);

// Whether both list the same names, in any order.
bool same_names(std::vector<std::string> a, std::vector<std::string> b);

// Appends `text` as one cell, quoted where a reader could take it for something else.
void append_csv_cell(std::string& out, std::string_view text, char delimiter);

// The delimiter among , tab ; | that cuts the first lines of `text` most evenly; a comma if none
// occurs. The last line may be cut off.
char detect_delimiter(std::string_view text);

// Whether the cells of a first line are names, not values. Words for missing or infinite values
// count as values: such a line is refused as data instead of silently being taken for names.
bool is_header(std::string_view line, char delimiter, const std::string& file);

}  // namespace sieve
