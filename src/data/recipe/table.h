#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text/numbers.h"
#include "labelsieve/data_io.h"
#include "labelsieve/dataset.h"
#include "labelsieve/error.h"

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

// Whether the shortest decimal of `number` is this text.
bool is_spelling_of(std::string_view text, float number);

// Which of them a reader keeps: none; those of columns that hold text as well, as these may be
// categories; or all, for the table to be written again.
enum class KeepSpellings { None, BesideText, All };

// How the numbers of a table were written, where that is not the shortest decimal of their 32-bit
// value: 0012, 1700000011, 2.50. Memory: 16 bytes per row that has any, and each text with two or
// three bytes more.
class Spellings {
 public:
  // Rows must not descend.
  void add(std::size_t row, std::size_t column, std::string_view text);
  // Those of a table whose rows come behind, from `first_row` on.
  void append(Spellings below, std::size_t first_row);
  bool empty() const { return rows_.empty(); }
  // Calls visit(column, text) for each of a row.
  template <class Visit>
  void for_each(std::size_t row, const Visit& visit) const {
    for (std::string_view entries = entries_of(row); !entries.empty();) {
      const std::size_t column = take_number(entries), size = take_number(entries);
      visit(column, entries.substr(0, size));
      entries.remove_prefix(size);
    }
  }
  Spellings select_rows(std::span<const std::size_t> rows) const;

 private:
  struct Row {
    std::size_t row;
    std::uint32_t piece, at;  // where its entries begin; they end where those of the next do
  };
  std::string& open_row(std::size_t row);
  std::string_view entries_of(std::size_t row) const;
  static std::size_t take_number(std::string_view& entries);

  std::vector<Row> rows_;
  std::vector<std::string> pieces_;  // entries of rows: column, size, text; none crosses pieces
};

// The cells of a table that hold text, row by row. Memory: 20 bytes per cell and its text.
class CellTexts {
 public:
  struct Cell {
    std::uint32_t row, column;
    std::uint32_t line, at;  // in the file, for messages
    std::uint32_t size;      // of the text
  };

  // Rows must not descend. `place` is where the cell is in the file. Error(Data) for a text of
  // 4 GiB or a row past 2^32.
  void add(std::size_t row, std::size_t column, const Place& place, std::string_view text);
  // Those of a table whose rows come behind, from `first_row` on.
  void append(const CellTexts& below, std::size_t first_row);
  bool empty() const { return cells_.empty(); }
  std::size_t size() const { return cells_.size(); }
  // The given rows, in the given order.
  CellTexts select_rows(std::span<const std::size_t> rows) const;

  // Calls visit(cell, text) for each, in order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    visit_cells(0, cells_.size(), 0, visit);
  }
  // Finds the cells of a row. It is built in one go and must not outlive what it looks at.
  class ByRow;

 private:
  template <class Visit>
  void visit_cells(std::size_t first, std::size_t last, std::size_t at, const Visit& visit) const {
    for (std::size_t k = first; k < last; at += cells_[k++].size)
      visit(cells_[k], std::string_view(bytes_).substr(at, cells_[k].size));
  }

  std::vector<Cell> cells_;
  std::string bytes_;
};

class CellTexts::ByRow {
 public:
  ByRow(const CellTexts& texts, std::size_t rows);
  template <class Visit>
  void for_each(std::size_t row, const Visit& visit) const {
    texts_.visit_cells(starts_[row].first, starts_[row + 1].first, starts_[row].second, visit);
  }

 private:
  const CellTexts& texts_;
  std::vector<std::pair<std::size_t, std::size_t>> starts_;  // cell and byte, one more than rows
};

// Texts of columns that are no features, for people to read.
struct LeftOutTexts {
  std::vector<std::string> names;
  CellTexts texts;  // columns count among the names

  // Those of a table whose rows come behind, from `first_row` on. Columns go by name.
  void append(const LeftOutTexts& below, std::size_t first_row);
};

struct SourceLayout;
struct TableSource;

// The columns of a table as they came: numbers where there are some, and text. Where all of it is
// numbers, the features of the set are these; the table then has no rows of its own.
struct RawTable {
  std::vector<std::string> names;  // one per column, or none
  Matrix numbers;                  // rows x columns; NaN where a cell is missing or text
  CellTexts texts;
  std::string path;
  Spellings spellings{};          // of numbers, as far as they were kept
  NumberMarks marks{};            // in the spellings
  std::vector<bool> unspelled{};  // columns of which some were not kept; none: all columns have all
  std::shared_ptr<const TableSource> source{};     // the files it came from, if they were kept
  std::shared_ptr<const LeftOutTexts> left_out{};  // if they were kept (ReadOptions::keep_left_out)

  std::size_t rows() const { return numbers.rows(); }
  std::size_t columns() const { return numbers.cols(); }
  bool lacks_spellings(std::size_t column) const {
    return column < unspelled.size() && unspelled[column];
  }
  // The text of a cell that is a number.
  std::string number_text(std::size_t row, std::size_t column) const;
  // "column 'weight'", or "column 3" without names, for messages.
  std::string describe(std::size_t column) const;
  Place place(const CellTexts::Cell& cell) const { return {path, cell.line, cell.at}; }
  // The given rows, in the given order.
  RawTable select_rows(std::span<const std::size_t> rows) const;
};

// A data set as its reader leaves it.
struct RawSet {
  Dataset data;
  std::optional<RawTable> table;  // the features are yet to be made of it
  std::vector<bool> unspelled{};  // of a set without a table: as in one made of its features
  std::shared_ptr<const SourceLayout> layout{};  // of a file that can be written as it was read
  std::shared_ptr<const TableSource> source{};
  std::shared_ptr<const LeftOutTexts> left_out{};
};

// Sets in `mask` what is set in `more`.
void join_masks(std::vector<bool>& mask, const std::vector<bool>& more);

// A table of numbers alone, for the spellings of its cells; null where there are none.
std::shared_ptr<const RawTable> spelled_numbers(std::vector<std::string> names, Spellings spellings,
                                                std::size_t columns);

// Rows of `below` appended to `above`, as stack_rows of data sets does it.
RawSet stack_rows(RawSet above, RawSet below);

// Whether a cell says that there is no value: it is empty, NA, N/A, NaN, ? or null.
bool is_missing(std::string_view cell);

// The columns that a table in a file gets besides ids and labels: the cells as they came where the
// set has them, else its features.
class ColumnsOut {
 public:
  explicit ColumnsOut(const Dataset& data);

  std::size_t count() const;
  std::vector<std::string> names() const;  // numbered where there are none
  // Makes these of the row: numbers()[j], NaN where there is none, and how it was written, empty
  // where that is the shortest decimal; or texts()[j], where it is set.
  void go_to(std::size_t row);
  const std::vector<float>& numbers() const { return numbers_; }
  const std::vector<std::string>& spellings() const { return spellings_; }
  const std::vector<std::optional<std::string_view>>& texts() const { return texts_; }

 private:
  const Dataset& data_;
  std::optional<CellTexts::ByRow> cells_;
  std::vector<float> numbers_;
  std::vector<std::string> spellings_;
  std::vector<std::optional<std::string_view>> texts_;
};

}  // namespace sieve
