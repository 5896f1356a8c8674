#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/streams.h"
#include "data/csv/csv_cells.h"
#include "data/formats.h"
#include "data/text/text_lines.h"
#include "data/xlsx/sheet_text.h"
#include "data/xlsx/workbook.h"
#include "data/xlsx/workbook_writer.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

using Sheet = Workbook::Sheet;

// The names of the columns, or the first row; none of an empty sheet.
std::vector<std::string> first_row(const Workbook& book, const Sheet& sheet) {
  SheetText text(book, sheet);
  LineSource lines(text, book.path_of(sheet));
  std::string_view line;
  while (lines.next(line, true))
    if (!line.empty()) return cells_of(line, 1, SheetText::kDelimiter, lines.name());
  return {};
}

// Sheets with a table each, whose rows belong together.
std::vector<Sheet> tables_of(const Workbook& book, const ReadOptions& options) {
  std::vector<Sheet> tables;
  std::vector<std::string> names;
  for (const Sheet& sheet : book.chosen(options.sheets, term("sheets"))) {
    std::vector<std::string> row = first_row(book, sheet);
    if (row.empty()) continue;
    if (!tables.empty() && row != names && options.header.value_or(true)) {
      std::string hint;
      for (const Sheet& each : {tables.front(), sheet})
        hint += (hint.empty() ? "for '" : "\n  for '") + each.name +
                "' alone: " + rerun({{"sheets", each.name}});
      throw Error(Failure::Data,
                  "the sheets '" + tables.front().name + "' and '" + sheet.name +
                      "' have other columns, so that their rows are not one table",
                  {book.path(), 0, 0}, hint);
    }
    if (tables.empty()) names = std::move(row);
    tables.push_back(sheet);
  }
  if (tables.empty()) refuse_without_values(book.path());
  return tables;
}

// Reads a sheet as CSV: read(text, path, options). Messages name its rows.
template <class Read>
auto read_sheet(const Workbook& book, const Sheet& sheet, ReadOptions options, const Read& read) {
  options.delimiter = SheetText::kDelimiter;
  const std::string path = book.path_of(sheet);
  SheetText text(book, sheet, [&](std::string note) {
    if (options.notes != nullptr) options.notes->push_back(std::move(note));
  });
  try {
    return read(text, path, options);
  } catch (const Error& error) {
    if (error.where().file != path) throw;
    throw Error(error.kind(), error.message(), {path, text.row_of_line(error.where().line), 0},
                error.hint());
  }
}

// The text of the same sheet, to be written with other labels.
std::function<std::string()> text_again(const std::string& path, const std::string& stamp,
                                        const Sheet& sheet, FileSystem& files) {
  return unchanged(path, stamp, files, [path, sheet, &files] {
    const std::unique_ptr<InputStream> in = open_unpacked(files, path);
    const Workbook book(*in, path);
    SheetText text(book, sheet);
    return read_all(text, std::numeric_limits<std::uint64_t>::max(), path);
  });
}

void note_macros(const Workbook& book, const ReadOptions& options) {
  if (book.has_macros() && options.notes != nullptr)
    options.notes->push_back(book.path() + ": the macros in this workbook are not run");
}

}  // namespace

Likeness looks_like_xlsx(std::string_view front) {
  return begins_as_workbook(front) ? Likeness::Surely : Likeness::No;
}

RawSet read_xlsx_raw(InputStream& in, const std::string& path, const ReadOptions& options) {
  const std::string stamp = options.keep_cells ? options.files->stamp(path) : "";
  const Workbook book(in, path);
  note_macros(book, options);
  std::optional<RawSet> all;
  for (const Sheet& sheet : tables_of(book, options)) {
    RawSet part = read_sheet(
        book, sheet, options, [&](SheetText& text, const std::string& name, const ReadOptions& by) {
          RawSet set = read_csv_raw(text, name, by);
          if (set.layout && options.files->map(path))  // not a pipe
            set.source = std::make_shared<const TableSource>(std::make_shared<const SourceFile>(
                *set.layout, set.data.rows(),
                SourceFile::Origin{path, "xlsx", text_again(path, stamp, sheet, *options.files),
                                   text.types()}));
          return set;
        });
    part.data.name = book.path_of(sheet);
    all = all ? stack_rows(std::move(*all), std::move(part)) : std::move(part);
  }
  return std::move(*all);
}

std::size_t read_xlsx_features(InputStream& in, const std::string& path, const ReadOptions& options,
                               std::size_t rows_before, const TakeFeatures& take) {
  const Workbook book(in, path);
  note_macros(book, options);
  for (const Sheet& sheet : tables_of(book, options))
    rows_before =
        read_sheet(book, sheet, options,
                   [&](InputStream& text, const std::string& name, const ReadOptions& by) {
                     return read_csv_features(text, name, by, rows_before, take);
                   });
  return rows_before;
}

void add_data_sheet(WorkbookWriter& book, const std::string& name, const Dataset& data,
                    const WriteOptions& options, const TableWriting& table) {
  WriteOptions as_csv = options;
  as_csv.delimiter = SheetText::kDelimiter;
  book.add_sheet(
      name,
      [&](OutputStream& sheet) { write_csv(data, sheet, as_csv, for_typed_cells(data, table)); },
      column_types(data));
}

void write_xlsx(const Dataset& data, OutputStream& out, const WriteOptions& options,
                const TableWriting& table) {
  WorkbookWriter book;
  add_data_sheet(book, "data", data, options, table);
  book.finish(out);
}

}  // namespace sieve
