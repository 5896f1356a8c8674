#include "data/jsonl/jsonl_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "data/csv/csv_rows.h"
#include "data/formats.h"
#include "data/ids.h"
#include "data/jsonl/json_text.h"
#include "data/label_columns.h"
#include "data/parts_of_list.h"
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

// Labels in JSON lines, changed in place.

namespace {

using Part = JsonPart;

std::string decoded(std::string_view json) {
  JsonParser parser;
  return parser.parse(json, {}).plain();
}

bool is_on(std::string_view json) {
  return json == "true" || decoded(json) == "1" || json == "1.0";
}

class JsonEditor final : public RecordEditor {
 public:
  JsonEditor(const TableSource& source, const LabelsOut& labels,
             const std::vector<ColumnBeside>& beside)
      : layout_(source.layout()), labels_(labels), beside_(beside) {
    for (std::size_t k = 0; k < layout_.labels.size(); ++k)
      slots_of_[layout_.labels[k].key].push_back(k);
    for (std::size_t k = 0; k < labels.names->size(); ++k) number_.emplace((*labels.names)[k], k);
    if (layout_.list)
      for (std::size_t row = 0; row < source.rows() && !knows_lists_; ++row)
        learn(source.record(row));
  }

  std::string names(std::string_view head) override { return std::string(head); }

  std::string record(std::string_view text, std::size_t row) override {
    std::vector<Edit> edits;
    bool has_list = false;
    const std::size_t begin = skip_json_blanks(text, 0);
    const std::vector<Part> members = json_parts(text, begin);
    for (const Part& member : members) {
      const std::string_view value = text.substr(member.begin, member.end - member.begin);
      if (layout_.list && layout_.list->key == member.key) {
        has_list = true;
        if (std::string now = list(value, row); now != value)
          edits.push_back({member.begin, member.end, std::move(now)});
      }
      const auto slots = slots_of_.find(member.key);
      if (slots == slots_of_.end()) continue;
      for (const std::size_t k : slots->second) edit_label(text, member, k, row, edits);
    }
    const std::size_t end = members.empty() ? begin + 1 : members.back().end;
    std::string added = further(row, !has_list, text.find("\": ") != text.npos);
    if (!added.empty() && members.empty()) added.erase(0, added.find('"'));
    edits.push_back({end, end, std::move(added)});
    return with(text, edits);
  }

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };

  static std::string with(std::string_view text, const std::vector<Edit>& edits) {
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
      out += text.substr(at, edit.begin - at);
      out += edit.text;
      at = edit.end;
    }
    return out += text.substr(at);
  }

  void edit_label(std::string_view text, const Part& member, std::size_t slot, std::size_t row,
                  std::vector<Edit>& edits) const {
    Part at = member;
    if (const auto element = layout_.labels[slot].element) {
      const std::vector<Part> elements = json_parts(text, member.begin);
      if (*element >= elements.size()) return;
      at = elements[*element];
    }
    const LabelsOut::Column& wanted = labels_.columns[slot];
    const std::string_view value = text.substr(at.begin, at.end - at.begin);
    const bool on = wanted.matrix->get(row, wanted.label);
    if (on == is_on(value)) return;
    const bool words = value == "true" || value == "false";
    edits.push_back({at.begin, at.end, words ? (on ? "true" : "false") : (on ? "1" : "0")});
  }

  // How lists are written: by the first that is not empty.
  void learn(std::string_view text) {
    for (const Part& member : json_parts(text, skip_json_blanks(text, 0))) {
      if (member.key != layout_.list->key) continue;
      const std::string_view value = text.substr(member.begin, member.end - member.begin);
      texts_ = value.starts_with('"');
      const std::size_t first = skip_json_blanks(value, 1);
      knows_lists_ = texts_ || (value.starts_with('[') && value[first] != ']');
      numbers_ = !texts_ && knows_lists_ && value[first] != '"';
      if (value.find(texts_ ? layout_.separator + " " : ", ") != value.npos) blank_ = " ";
    }
  }

  // The list with the labels of a row; as it is where these are its labels already.
  std::string list(std::string_view value, std::size_t row) const {
    std::vector<std::pair<std::string, std::string>> now;  // the label, and as it is written
    const bool text = value.starts_with('"');
    if (text)
      for_parts(decoded(value), layout_.separator,
                [&](std::string_view name) { now.emplace_back(name, name); });
    else if (value.starts_with('['))
      for (const Part& one : json_parts(value, 0)) {
        const std::string_view json = value.substr(one.begin, one.end - one.begin);
        now.emplace_back(trimmed(decoded(json)), json);
      }
    std::erase_if(now, [](const auto& one) { return one.first.empty(); });
    std::set<std::size_t> there;
    std::set<std::string_view> before;
    std::vector<std::string> kept;
    for (const auto& [name, written] : now) {
      before.insert(name);
      const auto k = number_.find(name);
      if (k != number_.end() && labels_.list->get(row, k->second) && there.insert(k->second).second)
        kept.push_back(written);
    }
    bool changed = there.size() != before.size();
    labels_.list->for_each(row, [&](std::size_t k) {
      if (there.contains(k)) return;
      const std::string& name = (*labels_.names)[k];
      kept.push_back(text || numbers_ ? name : json_quoted(name));
      changed = true;
    });
    if (!changed) return std::string(value);
    const std::string between = (text ? layout_.separator : ",") + blank_;
    std::string all;
    for (const std::string& one : kept) all += (all.empty() ? "" : between) + one;
    return text ? json_quoted(all) : "[" + all + "]";
  }

  // Members that the record does not have yet.
  std::string further(std::size_t row, bool without_list, bool blanks) const {
    std::string out;
    const auto add = [&](const std::string& name, const std::string& value) {
      out += (blanks ? ", " : ",") + json_quoted(name) + (blanks ? ": " : ":") + value;
    };
    if (layout_.list && without_list) {
      bool any = false;
      labels_.list->for_each(row, [&](std::size_t) { any = true; });
      if (any) add(layout_.list->key, list(texts_ ? "\"\"" : "[]", row));
    }
    for (std::size_t k = 0; k < labels_.added.size(); ++k)
      add(labels_.added_names[k],
          labels_.added[k].matrix->get(row, labels_.added[k].label) ? "1" : "0");
    for (const ColumnBeside& column : beside_) {
      const std::string cell = column.cell(row);
      add(column.name, cell.empty() ? "null" : json_number(cell));
    }
    return out;
  }

  const SourceLayout& layout_;
  const LabelsOut& labels_;
  const std::vector<ColumnBeside>& beside_;
  std::map<std::string, std::vector<std::size_t>> slots_of_;
  std::map<std::string, std::size_t, std::less<>> number_;
  bool knows_lists_ = false, texts_ = false, numbers_ = false;
  std::string blank_;
};

}  // namespace

std::unique_ptr<RecordEditor> json_editor(const TableSource& source, const LabelsOut& labels,
                                          const std::vector<ColumnBeside>& beside) {
  return std::make_unique<JsonEditor>(source, labels, beside);
}

}  // namespace sieve
