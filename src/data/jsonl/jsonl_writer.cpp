#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/columns_out.h"
#include "data/formats.h"
#include "data/jsonl/json_text.h"
#include "data/label_columns.h"
#include "data/table_source.h"
#include "data/text/text_writer.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace sieve {
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
