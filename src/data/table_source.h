#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "labelsieve/data_io.h"

// The tables that a set was read from, to be written again with other labels: text files, and the
// text of sheets and of what DuckDB reads.
namespace sieve {

// Where labels stand in the records of a file.
struct SourceLayout {
  enum class Kind { Csv, JsonLines };
  // A cell of CSV, by its column; a value of JSON, by its key and its place in a list.
  struct Slot {
    std::size_t column = 0;
    std::string key{};
    std::optional<std::size_t> element{};
    friend bool operator==(const Slot&, const Slot&) = default;
  };
  Kind kind = Kind::Csv;
  char delimiter = ',';
  bool header = false;
  std::string id_column{};                 // "" if the rows have no ids in this file
  std::vector<std::string> label_names{};  // of the columns of labels, as the reader has them
  std::vector<Slot> labels{};              // one each
  std::optional<Slot> list{};              // or the one that lists labels ...
  std::string separator{};                 // ... with this between them
  friend bool operator==(const SourceLayout&, const SourceLayout&) = default;
};

// The text of a file, cut into records.
struct SourceText {
  std::string text;                 // unpacked
  std::size_t head = 0;             // its first record begins here; before it are names
  std::vector<std::size_t> ends{};  // of the records; blank lines belong to the record behind them

  std::string_view names() const { return std::string_view(text).substr(0, head); }
  std::string_view record(std::size_t i) const;
  std::string_view tail() const { return std::string_view(text).substr(ends.back()); }
};

// What columns hold, by their names, where the file tells: the type as DuckDB names it, such as
// DATE, VARCHAR for text even if it looks like numbers, or VARCHAR[].
using ColumnTypes = std::map<std::string, std::string, std::less<>>;

// A file that rows were read from. It is read again when it is to be written.
class SourceFile {
 public:
  struct Origin {
    std::string path, format;  // as formats are named
    // Its text, as it was read. Error(Data) if it is no longer the file that was read.
    std::function<std::string()> text;
    ColumnTypes types{};
  };
  SourceFile(SourceLayout layout, std::size_t rows, Origin origin);

  const SourceLayout& layout() const { return layout_; }
  const std::string& path() const { return origin_.path; }
  const std::string& format() const { return origin_.format; }
  const ColumnTypes& types() const { return origin_.types; }
  std::size_t rows() const { return rows_; }
  const SourceText& text() const;  // Error(Data) as above

 private:
  SourceLayout layout_;
  std::size_t rows_;
  Origin origin_;
  mutable std::shared_ptr<const SourceText> text_;
};

// Reads the text of a file again by `read`, but not if the stamp that it had before it was read the
// first time is no longer its own.
std::function<std::string()> unchanged(const std::string& path, std::string stamp,
                                       FileSystem& files, std::function<std::string()> read);

// The record of each row of a set.
struct TableSource {
  struct Row {
    std::uint32_t file, record;
  };
  explicit TableSource(std::shared_ptr<const SourceFile> file);
  TableSource(const TableSource& source, std::span<const std::size_t> some);
  void append(const TableSource& below);

  std::size_t rows() const { return whole_ ? rows_of_files() : rows_.size(); }
  const std::vector<std::shared_ptr<const SourceFile>>& files() const { return files_; }
  const SourceLayout& layout() const { return files_.front()->layout(); }
  ColumnTypes types() const;  // in which all files agree
  // What the name of a file like the first ends in: ".xlsx", ".csv.gz".
  std::string ending() const;
  // The text of the row's file, and the number of its record there.
  const SourceText& text(std::size_t row) const { return files_[at(row).file]->text(); }
  Row at(std::size_t row) const;
  std::string_view record(std::size_t row) const { return text(row).record(at(row).record); }

 private:
  std::size_t rows_of_files() const;
  void list_rows();

  std::vector<std::shared_ptr<const SourceFile>> files_;
  bool whole_ = true;      // all rows of all files, in order
  std::vector<Row> rows_;  // else
};

// A column to write beside those of the data.
struct ColumnBeside {
  std::string name;
  std::function<std::string(std::size_t row)> cell;  // "" where there is nothing to say
};

// What tables (FormatRow::write_table) can do beyond the options of all formats.
struct TableWriting {
  // The table that was read comes back with other labels, where the set has it
  // (ReadOptions::keep_cells) and this format has such records: the same columns, order, names and
  // texts; of text files to the byte. Else labels are columns named label:x, candidate:x or
  // truth:x.
  bool as_read = false;
  std::vector<ColumnBeside> beside{};
};

// As write_dataset() does it; formats other than tables know nothing of it. Error(Usage) for
// columns beside the labels in such a format.
void write_table(const Dataset& data, const std::string& path, const WriteOptions& options,
                 const TableWriting& table, FileSet& set);

// The table that the rows were read from, where it can be written again; else null.
const TableSource* source_of(const Dataset& data);
// What is known of the columns of a table that is to be written.
ColumnTypes column_types(const Dataset& data);
// For formats that tell numbers from texts: a text file is not written as it was read where its
// numbers need marks (3,5) to be known as such.
TableWriting for_typed_cells(const Dataset& data, TableWriting table);

// Writes the rows of the set as the records they were read from, with the labels they have now.
// False, and nothing written, if the set has none or they cannot hold its labels.
bool write_records(const Dataset& data, OutputStream& out, const WriteOptions& options,
                   const TableWriting& table, SourceLayout::Kind kind);

// The name of the column of ids in a new file.
std::string id_column_to_write(const Dataset& data, const TableWriting& table);

// ---- for the two formats ------------------------------------------------------------------------

// What a label column or a list has to hold in one row.
struct LabelsOut {
  struct Column {
    const LabelMatrix* matrix;
    std::size_t label;
  };
  std::vector<Column> columns{};           // one per slot
  const LabelMatrix* list = nullptr;       // where labels are listed
  const std::vector<std::string>* names;   // of all labels
  std::vector<Column> added{};             // labels that the file has no place for yet ...
  std::vector<std::string> added_names{};  // ... and their columns
};

// Puts labels and further cells into records of one kind.
class RecordEditor {
 public:
  virtual ~RecordEditor() = default;
  virtual std::string names(std::string_view head) = 0;
  virtual std::string record(std::string_view text, std::size_t row) = 0;
};
std::unique_ptr<RecordEditor> csv_editor(const TableSource& source, const LabelsOut& labels,
                                         const std::vector<ColumnBeside>& beside);
std::unique_ptr<RecordEditor> json_editor(const TableSource& source, const LabelsOut& labels,
                                          const std::vector<ColumnBeside>& beside);

// The end of the first CSV record of `text`, behind its line end.
std::size_t end_of_csv_record(std::string_view text, char delimiter, const std::string& path);

}  // namespace sieve
