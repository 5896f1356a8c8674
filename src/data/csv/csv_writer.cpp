#include <algorithm>
#include <cmath>

#include "data/csv/csv_cells.h"
#include "data/formats.h"
#include "data/label_columns.h"
#include "data/recipe/table.h"
#include "data/table_source.h"
#include "data/text/numbers.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
constexpr double kMostCells = 2147483648.0;

class CsvWriter {
 public:
  CsvWriter(const Dataset& data, OutputStream& out, const WriteOptions& options,
            const TableWriting& table)
      : data_(data),
        out_(out),
        options_(options),
        beside_(table.beside),
        delimiter_(options.delimiter != 0 ? options.delimiter : ','),
        id_column_(id_column_to_write(data, table)),
        columns_(data),
        labels_(label_columns_to_write(data, options)) {}

  void write() {
    check();
    write_header();
    for (std::size_t i = 0; i < data_.rows(); ++i) {
      if (!data_.ids.empty()) append_csv_cell(next_cell(), data_.ids[i], delimiter_);
      write_columns(i);
      write_labels(i);
      for (const ColumnBeside& column : beside_) {
        std::string& out = next_cell();
        if (const std::string cell = column.cell(i); !cell.empty())
          append_csv_cell(out, cell, delimiter_);
      }
      end_row();
    }
    out_.write(text_);
  }

 private:
  bool as_list() const { return !options_.label_column.empty(); }

  void check() const {
    const double cells = static_cast<double>(data_.rows()) * static_cast<double>(columns_.count());
    if (cells > kMostCells)
      throw Error(Failure::Usage,
                  "a CSV file of these features would have " +
                      std::to_string(static_cast<unsigned long long>(cells)) + " cells",
                  {}, "write LIBSVM or sparse ARFF instead");
    const std::vector<std::string> names = columns_.names();
    for (const std::string& name : names)
      for (const char* prefix : {"label:", "candidate:", "truth:"})
        if (name.starts_with(prefix) && !as_list())
          throw Error(Failure::Usage, "feature '" + name + "' would be read back as a label", {},
                      "rename the feature");
    if (!data_.ids.empty() && std::ranges::find(names, id_column_) != names.end())
      throw Error(Failure::Usage,
                  "a feature has the name '" + id_column_ + "', as the column of ids", {},
                  "rename the feature");
    if (as_list()) check_list();
  }
  void check_list() const {
    if (labels_.matrices.size() != 1)
      throw Error(Failure::Usage, "one column cannot hold both candidates and truth", {},
                  "choose one of them, or write a column for each label");
    for (const std::string& name : data_.label_names)
      if (name.find(options_.separator) != name.npos)
        throw Error(Failure::Usage,
                    "label '" + name + "' contains the separator '" + options_.separator + "'", {},
                    "choose another separator");
  }

  void write_header() {
    if (!data_.ids.empty()) append_csv_cell(next_cell(), id_column_, delimiter_);
    for (const std::string& name : columns_.names()) append_csv_cell(next_cell(), name, delimiter_);
    if (as_list()) append_csv_cell(next_cell(), options_.label_column, delimiter_);
    const bool plain = labels_.names == data_.label_names;
    for (std::size_t k = 0; k < labels_.names.size() && !as_list(); ++k)
      append_csv_cell(next_cell(), (plain ? "label:" : "") + labels_.names[k], delimiter_);
    for (const ColumnBeside& column : beside_)
      append_csv_cell(next_cell(), column.name, delimiter_);
    end_row();
  }

  void write_columns(std::size_t row) {
    columns_.go_to(row);
    for (std::size_t j = 0; j < columns_.count(); ++j) {
      std::string& out = next_cell();
      if (const auto& text = columns_.texts()[j])
        append_csv_cell(out, *text, delimiter_);
      else if (const std::string& spelling = columns_.spellings()[j]; !spelling.empty())
        append_csv_cell(out, spelling, delimiter_);
      else if (const float number = columns_.numbers()[j]; !std::isnan(number))
        append_float(out, number);
      else if (columns_.count() == 1 && data_.ids.empty())
        out += "NA";  // a row of one empty cell must not look like a blank line
    }
  }

  void write_labels(std::size_t row) {
    if (as_list()) return write_list(row);
    for (const LabelMatrix* matrix : labels_.matrices)
      for (std::size_t k = 0; k < matrix->labels(); ++k)
        next_cell() += matrix->get(row, k) ? '1' : '0';
  }
  void write_list(std::size_t row) {
    std::string list;
    labels_.matrices[0]->for_each(row, [&](std::size_t k) {
      if (!list.empty()) list += options_.separator;
      list += data_.label_names[k];
    });
    std::string& out = next_cell();
    // An empty cell that is a whole row must not look like a blank line.
    if (!list.empty() || (columns_.count() == 0 && data_.ids.empty()))
      append_csv_cell(out, list, delimiter_);
  }

  // The text so far, ready for the next cell of the row.
  std::string& next_cell() {
    if (!first_) text_ += delimiter_;
    first_ = false;
    return text_;
  }
  void end_row() {
    text_ += '\n';
    first_ = true;
    if (text_.size() < kPieceBytes) return;
    out_.write(text_);
    text_.clear();
  }

  const Dataset& data_;
  OutputStream& out_;
  const WriteOptions& options_;
  const std::vector<ColumnBeside>& beside_;
  char delimiter_;
  std::string id_column_;
  ColumnsOut columns_;
  LabelColumnsOut labels_;
  std::string text_;
  bool first_ = true;
};

}  // namespace

void write_csv(const Dataset& data, OutputStream& out, const WriteOptions& options,
               const TableWriting& table) {
  if (!write_records(data, out, options, table, SourceLayout::Kind::Csv))
    CsvWriter(data, out, options, table).write();
}

}  // namespace sieve
