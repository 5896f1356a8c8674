#include "data/duckdb/duckdb_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/json.h"
#include "base/named_rows.h"
#include "base/parse_number.h"
#include "data/csv/csv_cells.h"
#include "data/duckdb/duckdb_query.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::string_view kParquetMark = "PAR1", kDatabaseMark = "DUCK";
constexpr std::size_t kDatabaseMarkAt = 8;

bool is_statement(std::string_view path) {
  return path.starts_with(kSqlMark);
}

bool is_database(const std::string& path) {
  if (is_statement(path) || FileSystem::real().is_folder(path)) return false;
  const auto file = FileSystem::real().map(path);
  return file && begins_as_database(file->bytes());
}

// The file to open, or "". That DuckDB is missing is said before anything is wrong with the file.
std::string database_of(const std::string& path) {
  DuckDb::get();
  return is_database(path) ? path : "";
}

// Without what ends it, so that it can stand in brackets.
std::string statement_of(std::string_view path) {
  path.remove_prefix(kSqlMark.size());
  while (!path.empty() && std::string_view(" \t\r\n;").find(path.back()) != path.npos)
    path.remove_suffix(1);
  return std::string(path);
}

}  // namespace

bool begins_as_parquet(std::string_view front) {
  return front.starts_with(kParquetMark);
}

bool begins_as_database(std::string_view front) {
  return front.size() > kDatabaseMarkAt && front.substr(kDatabaseMarkAt).starts_with(kDatabaseMark);
}

bool DuckDbTable::Column::is_number() const {
  return has_plain_numbers() || type == "HUGEINT" || type.starts_with("DECIMAL");
}

DuckDbTable::DuckDbTable(const std::string& path, const std::vector<std::string>& wanted,
                         const std::string& setting, const ThreadPool* threads)
    : path_(path), session_(database_of(path), path, threads != nullptr ? threads->size() : 1) {
  if (is_statement(path)) {
    const std::string statement = statement_of(path);
    session_.require_select(statement);  // by itself, before it stands in another
    statement_ = true;
    // A comment at its end must not swallow the bracket.
    from_ = "(" + statement + "\n)";
  } else if (is_database(path)) {
    numbered_from_ = from_ = table_of_database(wanted, setting);
    number_ = "rowid";
  } else if (FileSystem::real().is_folder(path)) {
    from_ = hugging_face_table(path);
  } else {
    const auto file = FileSystem::real().map(path);
    if (!file || !begins_as_parquet(file->bytes()))
      throw Error(Failure::Data, "Parquet has to be a file, neither packed nor a pipe",
                  {path, 0, 0}, "save it as a file first");
    // A name that DuckDB would take for a pattern.
    const bool pattern = path.find_first_of("*?[") != path.npos;
    if (pattern)
      throw Error(Failure::Usage, "DuckDB takes this name for a pattern", {path, 0, 0},
                  "rename the file: without *, ? and [");
    from_ = "read_parquet(" + sql_text(path) + ")";
    number_ = "file_row_number";
    numbered_from_ = "read_parquet(" + sql_text(path) + ", file_row_number = true)";
  }
  const auto described = session_.run("DESCRIBE SELECT * FROM " + from_);
  while (described->next()) {
    const auto names = described->column(0), types = described->column(1);
    for (std::size_t i = 0; i < described->count(); ++i) {
      Column column{std::string(names.text(i)), std::string(types.text(i))};
      if (column.type.find("BLOB") == column.type.npos)
        columns_.push_back(std::move(column));
      else
        left_out_.push_back(std::move(column.name));
    }
  }
  if (std::ranges::find(columns_, number_, &Column::name) != columns_.end()) number_.clear();
  if (columns_.empty())
    throw Error(Failure::Data, "there is no column of values", {path, 0, 0},
                "check the file or the statement");
}

ColumnTypes DuckDbTable::types() const {
  ColumnTypes types;
  for (const Column& column : columns_) types.emplace(column.name, column.type);
  return types;
}

void DuckDbTable::note_left_out(std::vector<std::string>* notes) const {
  for (const std::string& name : left_out_)
    if (notes != nullptr)
      notes->push_back(path_ + ": column '" + name + "' holds bytes, not values, and is left out");
}

std::string DuckDbTable::table_of_database(const std::vector<std::string>& wanted,
                                           const std::string& setting) const {
  std::vector<std::string> names;
  const auto found = session_.run(
      "SELECT table_name FROM information_schema.tables "
      "WHERE table_schema = 'main' AND table_catalog = current_database() ORDER BY table_name");
  while (found->next())
    for (std::size_t i = 0; i < found->count(); ++i) names.emplace_back(found->column(0).text(i));
  if (names.empty())
    throw Error(Failure::Data, "there is no table in this database", {path_, 0, 0}, "");
  if (wanted.size() > 1)
    throw Error(Failure::Usage, "one table of a database can be read at a time", {path_, 0, 0},
                "put them together in a statement: sql:SELECT ...");
  if (wanted.empty() && names.size() == 1) return sql_name(names.front());
  if (wanted.empty()) {
    std::string hint;
    for (const std::string& name : names)
      hint += (hint.empty() ? "for '" : "\n  for '") + name + "': " + rerun({{"sheets", name}});
    throw Error(Failure::Data, "this database has several tables", {path_, 0, 0}, hint);
  }
  if (std::ranges::find(names, wanted.front()) == names.end())
    throw Error(Failure::Usage, "there is no table '" + wanted.front() + "' in this database",
                {path_, 0, 0}, did_you_mean(wanted.front(), names, "check " + setting));
  return sql_name(wanted.front());
}

std::size_t DuckDbTable::count_if_known() const {
  if (statement_) return 0;
  const auto rows = select("CAST(count(*) AS VARCHAR)");
  return rows->next() ? parse_number<std::size_t>(rows->column(0).text(0)).value_or(0) : 0;
}

bool DuckDbTable::for_numbered(const std::string& expressions,
                               const DuckDbSession::Take& take) const {
  return !number_.empty() && session_.for_numbered(number_, expressions, numbered_from_, take);
}

std::unique_ptr<DuckDbSession::Rows> DuckDbTable::select(const std::string& expressions) const {
  return session_.run("SELECT " + expressions + " FROM " + from_);
}

DuckDbText::DuckDbText(const DuckDbTable& table) {
  std::string expressions;
  for (const DuckDbTable::Column& column : table.columns()) {
    const std::string name = sql_name(column.name);
    expressions += (expressions.empty() ? "" : ", ") +
                   (column.is_list() ? "CAST(to_json(" + name + ") AS VARCHAR)"
                                     : "CAST(" + name + " AS VARCHAR)") +
                   " AS " + name;
  }
  rows_ = table.select(expressions);
  add_line_of_names();
}

void DuckDbText::add_line_of_names() {
  for (const std::string& name : rows_->names()) {
    if (!text_.empty()) text_ += kDelimiter;
    append_csv_cell(text_, name, kDelimiter);
  }
  text_ += '\n';
}

bool DuckDbText::add_rows() {
  if (!rows_->next()) return false;
  std::vector<DuckDbSession::Chunk::Column> columns;
  for (std::size_t k = 0; k < rows_->names().size(); ++k) columns.push_back(rows_->column(k));
  for (std::size_t i = 0; i < rows_->count(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (k != 0) text_ += kDelimiter;
      if (columns[k].has(i))
        append_csv_cell(text_, columns[k].text(i), kDelimiter);
      else if (columns.size() == 1)
        text_ += "\"\"";  // must not look like a blank line
    }
    text_ += '\n';
  }
  return true;
}

std::size_t DuckDbText::read(char* into, std::size_t size) {
  while (given_ == text_.size()) {
    text_.clear();
    given_ = 0;
    if (!add_rows()) return 0;
  }
  const std::size_t part = std::min(size, text_.size() - given_);
  std::memcpy(into, text_.data() + given_, part);
  given_ += part;
  return part;
}

namespace {

constexpr std::uint64_t kLargestInfo = std::uint64_t{1} << 26;

int order_of(std::string_view name) {
  return name.find("test") != name.npos ? 1 : name.find("train") != name.npos ? -1 : 0;
}

// The names of the classes of a feature, "['a', 'b']"; "" if it has none.
std::string names_of_classes(const JsonValue& feature) {
  const auto names = feature.find("names");
  if (!names || !names->is_array()) return {};
  std::string list;
  names->for_each(
      [&](const JsonValue& name) { list += (list.empty() ? "" : ", ") + sql_text(name.plain()); });
  return list.empty() ? "" : "[" + list + "]";
}

// The name of a class by its number; -1 means that there is none.
std::string class_name(const std::string& number, const std::string& names) {
  return "CASE WHEN " + number + " < 0 THEN NULL WHEN " + number + " >= len(" + names +
         ") THEN error('class ' || " + number + " || ' has no name') ELSE (" + names + ")[" +
         number + " + 1] END";
}

// "labels" as names, in SQL.
std::string replacement(const std::string& column, const JsonValue& feature) {
  const std::string name = sql_name(column);
  if (const std::string names = names_of_classes(feature); !names.empty())
    return class_name(name, names) + " AS " + name;
  const auto inner = feature.is_array() ? std::nullopt : feature.find("feature");
  std::string names = inner ? names_of_classes(*inner) : "";
  // Later versions of the library write a list of one feature.
  feature.for_each([&](const JsonValue& each) {
    if (names.empty()) names = names_of_classes(each);
  });
  if (names.empty()) return {};
  return "[" + class_name("class_number", names) + " FOR class_number IN " + name + "] AS " + name;
}

std::string replacements(const std::string& info, FileSystem& files) {
  const std::string text = read_all(*files.open(info), kLargestInfo, info);
  JsonParser parser;
  const JsonValue root = parser.parse(text, {info, 0, 0});
  std::string list;
  if (const auto features = root.find("features"))
    features->for_members([&](std::string_view column, const JsonValue& feature) {
      if (const std::string one = replacement(std::string(column), feature); !one.empty())
        list += (list.empty() ? "" : ", ") + one;
    });
  return list;
}

}  // namespace

std::vector<std::string> parquet_shards(const std::string& folder, FileSystem& files) {
  std::vector<std::string> shards;
  for (const std::string& place : {folder, folder + "/data"}) {
    if (!files.is_folder(place)) continue;
    for (const std::string& name : files.list(place))
      if (!name.starts_with('.') && name.ends_with(".parquet"))
        shards.push_back(place + "/" + name);
  }
  std::ranges::stable_sort(shards, {}, [&](const std::string& path) {
    return order_of(std::string_view(path).substr(path.find_last_of('/')));
  });
  return shards;
}

std::string hugging_face_table(const std::string& folder) {
  FileSystem& files = FileSystem::real();
  std::string list;
  for (const std::string& shard : parquet_shards(folder, files)) {
    if (shard.find_first_of("*?[") != shard.npos)
      throw Error(Failure::Usage, "DuckDB takes this name for a pattern", {shard, 0, 0},
                  "rename the file or the folder: without *, ? and [");
    list += (list.empty() ? "" : ", ") + sql_text(shard);
  }
  const std::string table = "read_parquet([" + list + "])";
  const std::string info = folder + "/dataset_info.json";
  const std::string names = files.exists(info) ? replacements(info, files) : "";
  return names.empty() ? table : "(SELECT * REPLACE (" + names + ") FROM " + table + ")";
}

}  // namespace sieve
