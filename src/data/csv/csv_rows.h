#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv/csv_columns.h"
#include "data/name_index.h"
#include "data/recipe/recipe.h"
#include "data/recipe/table.h"
#include "data/text/text_lines.h"
#include "labelsieve/data_io.h"
#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// Label names as they come, row by row: the content of a column of lists.
class LabelLists {
 public:
  void add_row() { row_ends_.push_back(numbers_.size()); }
  void add_label(std::string_view name) { numbers_.push_back(names_.number(name)); }
  void append(const LabelLists& below);
  std::size_t rows() const { return row_ends_.size(); }
  // Names in the order of their bytes, and the matrix in that order.
  std::vector<std::string> sorted_names() const;
  LabelMatrix matrix(const std::vector<std::string>& names) const;

 private:
  NameIndex names_;
  std::vector<std::uint32_t> numbers_;  // of labels
  std::vector<std::size_t> row_ends_;
};

// The numbers of a CSV file as they are read.
struct CsvTable {
  explicit CsvTable(const CsvColumns& columns)
      : features(0, columns.features), labels(0, columns.labels) {}
  Matrix features;
  LabelMatrix labels;
  LabelLists lists;
  std::vector<std::string> ids;
  std::vector<std::size_t> minus_ones;  // a label column: how often it says -1; empty if none does
  CellTexts texts;                      // of features that are not numbers: NaN stands for them ...
  bool has_gaps = false;                // ... and for what is missing
  CellTexts left_out;                   // of columns that are no features
  Spellings spellings;
  std::vector<bool> unspelled;  // features some of whose spellings were not kept; may be empty

  std::size_t rows() const { return features.rows(); }
};

// Features that are not known to be text, by what some rows of them hold.
struct MixedColumns {
  std::vector<bool> mixed;         // numbers and text
  std::vector<bool> only_numbers;  // numbers and no text
  bool any = false;                // is mixed
};
MixedColumns mixed_columns(const CsvColumns& columns, const Matrix& numbers, std::size_t first,
                           std::size_t last, const CellTexts& texts);
// Which of the features are known to be text, or all of them.
std::vector<bool> mask_of_features(const CsvColumns& columns, bool all);

struct CsvLayout {
  const CsvColumns& columns;
  char delimiter;
  const std::string& separator;  // in a column of lists; not empty
  const std::string& path;
  NumberMarks marks{};
  KeepSpellings spellings = KeepSpellings::None;
  bool only_numbers = false;  // a feature that is not a number is refused
};

// Appends the rows of one block of text to `table`.
void parse_csv_block(const CsvLayout& layout, const TextBlock& block, CsvTable& table);

// Reads the rows of a source in rounds of a few blocks of text.
class CsvRowReader {
 public:
  CsvRowReader(LineSource& source, const CsvLayout& layout, ThreadPool* pool)
      : layout_(layout), rounds_(source, pool, true) {}
  // Appends the rows of the next round to `table`; false at the end.
  bool append_to(CsvTable& table);

 private:
  CsvLayout layout_;
  BlockRounds rounds_;
};

// The data set of the rows that were read. `bytes_read` limits what a list of labels may take.
Dataset dataset_of(CsvTable table, const CsvColumns& columns, std::size_t bytes_read,
                   const ReadOptions& options, const std::string& path);

// The same, with a table for the recipe where some of it is no plain number.
RawSet raw_set(CsvTable table, const CsvColumns& columns, const NumberMarks& marks,
               std::size_t bytes_read, const ReadOptions& options, const std::string& path);

// Reads features alone: blocks of text go through `parse`, on several threads at once, and on to
// `take`. The number of rows, those before included.
struct TableText {
  LineSource& source;
  bool quotes;  // whether a cell in quotes may hold line breaks
  const CsvColumns& columns;
  const BlockRecipe& recipe;
  std::function<void(const TextBlock& block, CsvTable& table)> parse;
};
std::size_t stream_table(const TableText& text, const ReadOptions& options, std::size_t rows_before,
                         const TakeFeatures& take);

}  // namespace sieve
