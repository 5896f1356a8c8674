#include <string>
#include <string_view>
#include <vector>

#include "base/parse_number.h"
#include "data/csv/csv_cells.h"
#include "data/csv/csv_columns.h"
#include "data/duckdb/duckdb_table.h"
#include "data/formats.h"
#include "data/library_output.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

// What a column becomes whose texts are all of a type and keep what they say: not 007 as a number.
struct Type {
  std::string name;  // of the type, in SQL
  std::string is;    // whether a text is of it; false or NULL if not
  std::string value;
  bool known = false;  // by what was read, and true of a column without texts
};

std::vector<Type> types_for(const std::string& column, const std::string& known) {
  std::vector<Type> types;
  const auto add = [&](const std::string& type, const std::string& is) {
    types.push_back({type, is, "CAST(" + column + " AS " + type + ")", false});
  };
  // Of what DuckDB prints as text of a type, a cell may have the beginning: "2024-03-05" for the
  // midnight of that day.
  const auto as_printed = [&](const std::string& type) {
    return "starts_with(lower(CAST(TRY_CAST(" + column + " AS " + type + ") AS VARCHAR)), lower(" +
           column + "))";
  };
  if (known.ends_with(']'))
    types.push_back({known,
                     "TRY_CAST(TRY_CAST(" + column + " AS JSON) AS " + known + ") IS NOT NULL",
                     "CAST(CAST(" + column + " AS JSON) AS " + known + ")", false});
  else if (!known.empty())
    add(known, as_printed(known));
  if (!types.empty()) types.front().known = true;
  if (known == "VARCHAR") return types;
  add("BIGINT", "CAST(TRY_CAST(" + column + " AS BIGINT) AS VARCHAR) = " + column);
  add("DOUBLE", "TRY_CAST(" + column + " AS DOUBLE) IS NOT NULL AND regexp_matches(" + column +
                    ", '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?(e[-+]?[0-9]+)?$')");
  return types;
}

// Rows that DuckDB reads as they are meant: one a line, and nothing in quotes but texts.
class PlainRows {
 public:
  // Whether an empty text is something else than none.
  explicit PlainRows(bool keep_empty) : keep_empty_(keep_empty) {}

  void add(const std::string& row, OutputStream& out) {
    CellCursor cells(row, 1, DuckDbText::kDelimiter, kFile);
    text_.clear();
    const char* from = row.data();
    for (std::size_t k = 0; cells.next(); ++k, from = cells.position()) {
      if (k != 0) text_ += DuckDbText::kDelimiter;
      const std::string_view raw(from, static_cast<std::size_t>(cells.position() - from));
      if (!cells.cell().empty() || (keep_empty_ && raw.find('"') != raw.npos))
        append_csv_cell(text_, cells.cell(), DuckDbText::kDelimiter);
      if (names_over_) continue;
      names_.emplace_back(cells.cell().empty() ? kUnnamedColumn : cells.cell());
    }
    names_over_ = true;
    out.write(text_ += '\n');
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  inline static const std::string kFile = "Parquet";
  bool keep_empty_, names_over_ = false;
  std::string text_;
  std::vector<std::string> names_;
};

// "CAST("x" AS BIGINT) AS "x", ...": each column as the first type that all of its texts have.
std::string typed_columns(const DuckDbSession& session, const std::vector<std::string>& names,
                          const ColumnTypes& known, const std::string& from) {
  std::vector<std::vector<Type>> types;
  std::string questions;
  for (const std::string& name : names) {
    const std::string column = sql_name(name);
    const auto found = known.find(name);
    types.push_back(types_for(column, found != known.end() ? found->second : ""));
    std::string cases;
    for (std::size_t k = 0; k < types.back().size(); ++k)
      cases += " WHEN coalesce(bool_and(coalesce(" + types.back()[k].is +
               ", false)) FILTER (WHERE " + column + " IS NOT NULL), " +
               (types.back()[k].known ? "true" : "false") + ") THEN '" + std::to_string(k) + "'";
    questions += (questions.empty() ? "CASE" : ", CASE") + cases + " ELSE '' END";
  }
  const auto answers = session.run("SELECT " + questions + from);
  answers->next();
  std::string columns;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto type = parse_number<std::size_t>(answers->column(k).text(0));
    const std::string column = sql_name(names[k]);
    columns += (k == 0 ? "" : ", ") + (type ? types[k][*type].value : column) + " AS " + column;
  }
  return columns;
}

}  // namespace

void write_parquet(const Dataset& data, OutputStream& out, const WriteOptions& options,
                   const TableWriting& table) {
  WriteOptions as_csv = options;
  as_csv.delimiter = DuckDbText::kDelimiter;
  const ColumnTypes known = column_types(data);
  const DuckDbSession session("", "Parquet");
  MemoryFile csv, packed;
  PlainRows plain(!known.empty());
  RowsOut rows([&](const std::string& row) { plain.add(row, csv); });
  write_csv(data, rows, as_csv, for_typed_cells(data, table));
  rows.close();

  std::string columns;
  for (const std::string& name : plain.names())
    columns += (columns.empty() ? "" : ", ") + sql_text(name) + ": 'VARCHAR'";
  const std::string from =
      " FROM read_csv(" + sql_text(csv.name()) + ", columns = {" + columns +
      "}, header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', "
      "nullstr = '', allow_quoted_nulls = false, parallel = false, max_line_size = 67108864)";
  session
      .run("COPY (SELECT " + typed_columns(session, plain.names(), known, from) + from + ") TO " +
           sql_text(packed.name()) + " (FORMAT parquet, USE_TMP_FILE false)")
      ->next();
  const auto content = packed.map();
  if (!content || !content->bytes().ends_with("PAR1"))
    throw Error(Failure::Io, "DuckDB did not write the Parquet file to its end", {}, "");
  out.write(content->bytes());
}

}  // namespace sieve
