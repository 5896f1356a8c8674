#include "report/pages.h"

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/parse_number.h"
#include "data/csv/csv_cells.h"
#include "data/xlsx/workbook_writer.h"

namespace sieve {
namespace {

using Take = std::function<void(std::string name, std::string value)>;

// A number with as many digits as a sheet keeps and a reader needs.
std::string cell_of(const JsonValue& value) {
  const auto number = value.text() ? std::nullopt : parse_number<double>(value.plain());
  return number ? fmt::format("{:.9g}", *number) : value.plain();
}

void flatten(const JsonValue& object, const std::string& prefix, const Take& take) {
  object.for_members([&](std::string_view key, const JsonValue& value) {
    const std::string name = prefix + std::string(key);
    if (value.is_object())
      flatten(value, name + ".", take);
    else if (!value.is_array())
      take(name, cell_of(value));
  });
}

void append_line(std::string& text, const std::vector<std::string>& cells) {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (k != 0) text += ',';
    if (!cells[k].empty()) append_csv_cell(text, cells[k], ',');
  }
  text += '\n';
}

// A list of objects in a JSON object, under that key, as CSV: a line each, with a column for each
// member of the first, and members of members as "outer.inner". "" if there is none.
std::string json_table(const std::string& json, std::string_view key) {
  JsonParser parser;
  const auto list = parser.parse(json, {}).find(key);
  if (!list) return {};
  std::map<std::string, std::size_t> column_of;
  std::string text;
  list->for_each([&](const JsonValue& row) {
    if (column_of.empty()) {
      std::vector<std::string> names;
      flatten(row, "", [&](std::string name, const std::string&) {
        column_of.emplace(name, names.size());
        names.push_back(std::move(name));
      });
      append_line(text, names);
    }
    std::vector<std::string> cells(column_of.size());
    flatten(row, "", [&](const std::string& name, std::string value) {
      if (const auto found = column_of.find(name); found != column_of.end())
        cells[found->second] = std::move(value);
    });
    append_line(text, cells);
  });
  return text;
}

}  // namespace

void write_cleaning_workbook(const Cleaned& cleaned, const Json& json, const WriteOptions& options,
                             const TableWriting& table, OutputStream& out) {
  WorkbookWriter book;
  add_data_sheet(book, "labels", cleaned.judged.data, options, table);
  if (!cleaned.suspects.empty())
    book.add_sheet("suspects", [&](OutputStream& sheet) {
      write_suspects(cleaned.judged, cleaned.suspects, sheet);
    });
  for (const auto& [name, key] : {std::pair{"annotators", "annotators"}, {"claims", "per_label"}})
    if (const std::string cells = json_table(json.text(), key); !cells.empty())
      book.add_sheet(name, [&](OutputStream& sheet) { sheet.write(cells); });
  book.finish(out);
}

}  // namespace sieve
