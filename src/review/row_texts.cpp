#include "review/row_texts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/format_text.h"
#include "data/annotations/annotation_records.h"
#include "data/recipe/table.h"
#include "data/text/media_names.h"
#include "data/text/numbers.h"

namespace sieve {
namespace {

constexpr std::size_t kMostColumns = 12;

bool is_table(const std::string& path, const ReadOptions& options) {
  const std::string format = options.format.empty() ? format_of_name(path) : options.format;
  return format == "csv" || format == "jsonl";
}

bool is_number(std::string_view cell) {
  float ignored = 0;
  return cell.empty() || parse_float(cell, ignored);
}

bool is_label(const std::string& name, const ReadOptions& options, const Dataset& data) {
  const LabelColumns& labels = options.labels;
  for (const char* mark : {"label:", "candidate:", "truth:"})
    if (name.starts_with(mark)) return true;
  if (!labels.prefix.empty() && name.starts_with(labels.prefix)) return true;
  return name == labels.column || std::ranges::count(labels.names, name) != 0 ||
         std::ranges::count(data.label_names, name) != 0;
}

// Columns that somebody can read: not labels, nor ids unless they name pictures or sounds, and not
// all numbers.
std::vector<std::size_t> readable_columns(const AnnotationRecords& records,
                                          const ReadOptions& options, const Dataset& data) {
  std::vector<std::size_t> columns;
  for (std::size_t k = 0; k < records.names().size() && columns.size() < kMostColumns; ++k) {
    if (is_label(records.names()[k], options, data)) continue;
    const auto cell = [&](const std::vector<std::string>& record) {
      return k < record.size() ? std::string_view(record[k]) : std::string_view();
    };
    const auto& sample = records.sample();
    const bool numbers =
        std::ranges::all_of(sample, [&](const auto& record) { return is_number(cell(record)); });
    const bool lists = records.is_json() && std::ranges::all_of(sample, [&](const auto& record) {
                         return cell(record).empty() || cell(record).front() == '[';
                       });
    const bool ids = !data.ids.empty() && !sample.empty() && cell(sample[0]) == data.ids[0] &&
                     media_type(data.ids[0]).empty();
    if (!numbers && !lists && !ids) columns.push_back(k);
  }
  return columns;
}

void add_rows(const std::string& path, const ReadOptions& options, const Dataset& data,
              RowTexts& into) {
  AnnotationRecords records(open_unpacked(*options.files, path), path);
  std::vector<std::size_t> columns;
  if (into.columns.empty()) {
    columns = readable_columns(records, options, data);
    for (const std::size_t k : columns) into.columns.push_back(records.names()[k]);
  } else {
    for (const std::string& name : into.columns) columns.push_back(records.column(name));
  }
  while (records.next()) {
    auto& row = into.rows.emplace_back();
    for (const std::size_t k : columns) row.emplace_back(records.cell(k));
  }
}

// Those of a set that has no files of its own: its texts came with annotations.
RowTexts texts_of_cells(const Dataset& data) {
  RowTexts texts;
  if (!data.cells || data.cells->rows() != data.rows()) return texts;
  texts.columns = data.cells->names;
  texts.rows.assign(data.rows(), std::vector<std::string>(texts.columns.size()));
  data.cells->texts.for_each([&](const CellTexts::Cell& cell, std::string_view text) {
    texts.rows[cell.row][cell.column] = text;
  });
  return texts;
}

}  // namespace

RowTexts read_row_texts(const std::vector<std::string>& paths, const ReadOptions& options,
                        const Dataset& data) {
  RowTexts texts;
  if (paths.empty()) return texts_of_cells(data);
  if (options.header == false) return texts;
  for (const std::string& path : paths) {
    if (!is_table(path, options) || options.files->is_folder(path)) return {};
    add_rows(path, options, data, texts);
  }
  if (texts.columns.empty() || texts.rows.size() != data.rows()) return {};
  return texts;
}

std::string excerpt(const RowTexts& texts, std::size_t row, std::size_t most) {
  std::string text;
  if (texts.empty()) return text;
  for (const std::string& cell : texts.rows[row]) {
    if (!text.empty() && !cell.empty()) text += " \u00b7 ";
    text += cell;
    if (text.size() > most) break;
  }
  return excerpt(std::move(text), most);
}

}  // namespace sieve
