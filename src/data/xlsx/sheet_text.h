#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/table_source.h"
#include "data/xlsx/workbook.h"
#include "labelsieve/files.h"

namespace sieve {

// A sheet as the text of a CSV file, with commas: a line per row, so that both count alike, and
// empty lines for empty rows. The table begins with the first row and column that have a value; its
// first row says how many columns there are, and if the row below begins one column before it, the
// first column has no name. Error(Data) for a value beside the table, a formula
// whose value is not in the file, and a cell that holds an error other than #N/A, which is empty.
class SheetText final : public InputStream {
 public:
  static constexpr char kDelimiter = ',';

  // The workbook must outlive this. `note` gets a sentence about everything unusual, at the end.
  using Note = std::function<void(std::string)>;
  SheetText(const Workbook& book, const Workbook::Sheet& sheet, Note note = nullptr);

  std::size_t read(char* into, std::size_t size) override;
  // Whether any cell has a value; nothing is read yet.
  bool has_values();
  // What the columns hold, where it is one thing and not numbers; at the end.
  ColumnTypes types() const;
  // The row of the sheet that a line of the text is in: texts may have line ends.
  std::size_t row_of_line(std::size_t line) const;

 private:
  static constexpr unsigned char kNumber = 1, kText = 2, kYesNo = 4, kDate = 8, kDateTime = 16,
                                 kTime = 32;
  struct Cell {
    std::size_t column = 0;
    std::string text;
    unsigned char kind = kText;
  };

  bool read_rows();
  void write_notes();
  void add_row(const pugi::xml_node& node);
  void read_cells(const pugi::xml_node& row);
  bool read_cell(const pugi::xml_node& node, Cell& cell);
  void read_number(const pugi::xml_node& value, std::size_t style, Cell& cell);
  void begin_table();
  void write_cells();
  void note_lines(const Cell& cell);
  [[noreturn]] void refuse_cell(const std::string& what, std::size_t column,
                                const std::string& hint) const;

  const Workbook& book_;
  const std::string path_;
  bool hidden_;
  Note note_;
  XmlRun rows_;
  struct Names {
    std::string row, cell, value, formula, inline_text;
  } names_;
  std::string text_;  // CSV that is not read yet, from given_ on
  std::size_t given_ = 0;
  std::size_t row_ = 0;                // of the sheet, from 1; the last that was met
  std::size_t lines_ = 0;              // of the CSV
  std::size_t first_ = 0, width_ = 0;  // columns of the table
  std::size_t table_rows_ = 0;         // that have values
  std::size_t names_at_ = 0;           // in text_, where the first of them begins
  // Of the columns of the sheet, from the first on.
  std::vector<std::string> names_of_columns_;
  std::vector<unsigned char> kinds_;  // that their cells below the names have, all together
  std::size_t empty_cells_ = 0;       // that the file leaves out
  std::vector<Cell> cells_;           // of the row; their memory is used again
  std::size_t used_ = 0;              // of them
  std::vector<std::pair<std::size_t, std::size_t>> shifts_;  // from a line on: lines more than rows
};

// Error(Data): no cell of the workbook has a value.
[[noreturn]] void refuse_without_values(const std::string& path);

}  // namespace sieve
