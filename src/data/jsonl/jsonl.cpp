#include "data/jsonl/jsonl_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "data/csv/csv_rows.h"
#include "data/formats.h"
#include "data/ids.h"
#include "data/jsonl/json_text.h"
#include "data/label_columns.h"
#include "data/recipe/recipe.h"
#include "data/recipe/table.h"
#include "data/table_source.h"
#include "data/text/text_lines.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 20;

void refuse_without_rows(std::size_t rows, const std::string& path) {
  if (rows == 0)
    throw Error(Failure::Data, "there are no rows of data", {path, 0, 0},
                "check that the file was copied or downloaded whole");
}

}  // namespace

Likeness looks_like_jsonl(std::string_view front) {
  const std::string_view line = first_content(front, '#');
  const std::size_t second = line.find_first_not_of(" \t", 1);
  const char next = second == line.npos ? '\0' : line[second];
  if (line.starts_with('{') && (next == '"' || next == '}' || next == '\0'))
    return Likeness::Surely;
  return line.starts_with('[') ? Likeness::Perhaps : Likeness::No;
}

RawSet read_jsonl_raw(InputStream& in, const std::string& path, const ReadOptions& options) {
  LineSource source(in, path, kLongestLine);
  const JsonlKeys keys(source, options);
  JsonlLayout layout{keys, options.labels.separator, path, NumberMarks(options)};
  layout.spellings = options.keep_cells ? KeepSpellings::All : KeepSpellings::BesideText;
  CsvTable table(keys.columns());
  parse_blocks<std::unique_ptr<CsvTable>>(
      source, options.threads, false,
      [&](const TextBlock& block, std::unique_ptr<CsvTable>& part) {
        part = std::make_unique<CsvTable>(keys.columns());
        parse_jsonl_block(layout, block, *part);
      },
      [&](std::unique_ptr<CsvTable>&& part) { append_rows(table, std::move(*part)); });
  refuse_without_rows(table.rows(), path);
  check_ids(table.ids, path);
  RawSet set =
      raw_set(std::move(table), keys.columns(), layout.marks, source.bytes_read(), options, path);
  if (options.keep_cells && !keys.lines_are_lists())
    set.layout = std::make_shared<const SourceLayout>(keys.source_layout(options.labels.separator));
  return set;
}

std::size_t read_jsonl_features(InputStream& in, const std::string& path,
                                const ReadOptions& options, std::size_t rows_before,
                                const TakeFeatures& take) {
  LineSource source(in, path, kLongestLine);
  const JsonlKeys keys(source, options);
  const CsvColumns& columns = keys.columns();
  const BlockRecipe recipe(options, columns.feature_names, columns.features, path);
  const JsonlLayout layout{keys, options.labels.separator, path, NumberMarks(options), !recipe};
  const std::size_t rows = stream_table(
      {source, false, columns, recipe,
       [&](const TextBlock& block, CsvTable& table) { parse_jsonl_block(layout, block, table); }},
      options, rows_before, take);
  refuse_without_rows(rows - rows_before, path);
  return rows;
}

namespace {

constexpr const char* kId = "id";

// Where columns have no names of their own.
std::vector<std::string> named(std::vector<std::string> names, std::size_t columns) {
  for (std::size_t k = 0; names.size() < columns; ++k)
    names.push_back("features[" + std::to_string(k) + "]");
  return names;
}

ReadOptions with_id(ReadOptions options, const std::vector<std::string>& names) {
  if (!options.id_column)
    options.id_column = std::ranges::find(names, kId) == names.end() ? kId : "";
  options.labels = {};
  options.labels.optional = true;
  return options;
}

ReadOptions without_id(ReadOptions options) {
  options.id_column = "";
  return options;
}

}  // namespace

JsonRows::JsonRows(const std::vector<std::string>& names, std::size_t columns, ReadOptions options)
    : options_(with_id(std::move(options), names)),
      list_({}, columns, without_id(options_)),
      object_(named(names, columns), columns, options_),
      list_recipe_(options_, {}, columns, path_),
      object_recipe_(options_, object_.columns().feature_names, columns, path_) {}

JsonRows::Row JsonRows::row(std::string_view line) const {
  const bool is_list = trimmed(line).starts_with('[');
  const JsonlKeys& keys = is_list ? list_ : object_;
  const BlockRecipe& recipe = is_list ? list_recipe_ : object_recipe_;
  const JsonlLayout layout{keys, options_.labels.separator, path_, NumberMarks(options_), !recipe,
                           true, KeepSpellings::None,       true};
  CsvTable table(keys.columns());
  parse_jsonl_block(layout, {line, 1, 1}, table);
  Row row;
  if (keys.columns().has_ids) row.id = std::move(table.ids.front());
  row.features = recipe ? recipe.features(std::move(table.features), std::move(table.texts),
                                          std::move(table.spellings))
                        : Features(std::move(table.features));
  return row;
}

std::string JsonRows::id(std::string_view line) const {
  return id_in_line(line, *options_.id_column);
}

namespace {

// Names as keys of an object, each with its colon.
std::vector<std::string> keys_of(const std::vector<std::string>& names, const std::string& prefix) {
  std::vector<std::string> keys;
  for (const std::string& name : names) keys.push_back(json_quoted(prefix + name) + ":");
  return keys;
}

void check_names_apart(const std::vector<std::string>& names, const std::string& id_column) {
  if (!id_column.empty() && std::ranges::find(names, id_column) != names.end())
    throw Error(Failure::Usage, "a feature has the name '" + id_column + "', as the key of ids", {},
                "rename the feature");
  for (const std::string& name : names)
    for (const char* prefix : {"label:", "candidate:", "truth:"})
      if (name.starts_with(prefix))
        throw Error(Failure::Usage, "feature '" + name + "' would be read back as a label", {},
                    "rename the feature");
}

void write_value(TextWriter& out, float number, const std::string& spelling,
                 const std::optional<std::string_view>& text) {
  if (text)
    out << json_quoted(std::string(*text));
  else if (!spelling.empty())
    out << json_number(spelling);
  else if (std::isnan(number))
    out << "null";
  else
    out << number;
}

}  // namespace

void write_jsonl(const Dataset& data, OutputStream& out, const WriteOptions& options,
                 const TableWriting& table) {
  if (write_records(data, out, options, table, SourceLayout::Kind::JsonLines)) return;
  const LabelColumnsOut labels = label_columns_to_write(data, options);
  const bool plain = labels.names == data.label_names;
  ColumnsOut columns(data);
  const std::string id_column = id_column_to_write(data, table);
  check_names_apart(columns.names(), data.ids.empty() ? "" : id_column);
  const std::vector<std::string> column_keys = keys_of(columns.names(), "");
  const std::string id_key = json_quoted(id_column) + ":";
  const std::vector<std::string> label_keys = keys_of(labels.names, plain ? "label:" : "");
  TextWriter text(out);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    char between = '{';
    const auto next = [&](const std::string& key) -> TextWriter& {
      text << between << key;
      between = ',';
      return text;
    };
    if (!data.ids.empty()) next(id_key) << json_quoted(data.ids[i]);
    columns.go_to(i);
    for (std::size_t j = 0; j < columns.count(); ++j)
      write_value(next(column_keys[j]), columns.numbers()[j], columns.spellings()[j],
                  columns.texts()[j]);
    std::size_t k = 0;
    for (const LabelMatrix* matrix : labels.matrices)
      for (std::size_t label = 0; label < matrix->labels(); ++label)
        next(label_keys[k++]) << (matrix->get(i, label) ? '1' : '0');
    for (const ColumnBeside& column : table.beside) {
      const std::string cell = column.cell(i);
      next(json_quoted(column.name) + ":") << (cell.empty() ? "null" : json_number(cell));
    }
    text << (between == '{' ? "{}" : "}");
    text.end_line();
  }
  text.flush();
}

}  // namespace sieve
