#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/parse_number.h"
#include "data/csv/csv_cells.h"
#include "data/csv/csv_columns.h"
#include "data/csv/csv_rows.h"
#include "data/duckdb/duckdb_table.h"
#include "data/formats.h"
#include "data/ids.h"
#include "data/library_output.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "linalg/products.h"

namespace sieve {
namespace {

using Kind = CsvColumns::Kind;
using Rows = DuckDbSession::Rows;
using Chunk = DuckDbSession::Chunk;

ReadOptions as_csv(ReadOptions options) {
  options.delimiter = DuckDbText::kDelimiter;
  options.header = true;
  return options;
}

// Whether the first values of a column are all there and different.
bool are_ids(const DuckDbTable& table, const DuckDbTable::Column& column, IdName name) {
  if (name != IdName::Yes && column.is_number()) return false;
  const auto rows = table.select("CAST(" + sql_name(column.name) + " AS VARCHAR)");
  std::unordered_set<std::string_view> seen;
  if (!rows->next()) return false;
  const Chunk::Column values = rows->column(0);
  for (std::size_t i = 0; i < rows->count(); ++i)
    if (!values.has(i) || values.text(i).empty() || !seen.insert(values.text(i)).second)
      return false;
  return true;
}

CsvColumns columns_of(const DuckDbTable& table, const ReadOptions& options) {
  std::vector<std::string> names;
  for (const DuckDbTable::Column& column : table.columns()) names.push_back(column.name);
  const std::size_t count = names.size();
  return choose_columns(std::move(names), count, options, table.path(),
                        [&](std::size_t column, IdName name) {
                          return are_ids(table, table.columns()[column], name);
                        });
}

// The kind of each column, in their order.
std::vector<Kind> kinds_of(const CsvColumns& columns) {
  std::vector<Kind> kinds;
  for (const CsvColumns::Run& run : columns.runs) kinds.insert(kinds.end(), run.count, run.kind);
  return kinds;
}

// A table whose features and labels are numbers need not become text on its way.
class NumberReader {
 public:
  NumberReader(const DuckDbTable& table, const ReadOptions& options)
      : table_(table), options_(options), columns_(columns_of(table, options)) {}

  static bool fits(const DuckDbTable& table, ReadOptions options) {
    if (options.keep_cells || options.recipe || !NumberMarks(options).plain()) return false;
    options.notes = nullptr;
    options.id_column_taken = nullptr;
    const std::vector<Kind> kinds = kinds_of(columns_of(table, options));
    for (std::size_t k = 0; k < kinds.size(); ++k)
      if (kinds[k] == Kind::Text || kinds[k] == Kind::LabelList ||
          ((kinds[k] == Kind::Feature || kinds[k] == Kind::Label) &&
           !table.columns()[k].is_number()))
        return false;
    return true;
  }

  RawSet read() {
    std::optional<CsvTable> numbered = read_numbered();
    CsvTable out = numbered ? std::move(*numbered) : read_in_order();
    if (out.rows() == 0)
      throw Error(Failure::Data, "there are no rows of data", {table_.path(), 0, 0},
                  "check the file or the statement");
    out.has_gaps = has_gaps_;
    out.unspelled.assign(columns_.features, true);
    check_ids(out.ids, table_.path());
    return raw_set(std::move(out), columns_, NumberMarks(options_), 0, options_, table_.path());
  }

 private:
  // On all threads, where the table numbers its rows from 0 to the last.
  std::optional<CsvTable> read_numbered() {
    const std::size_t count = table_.count_if_known();
    CsvTable out(columns_);
    make_room(count, out);
    std::atomic<std::size_t> placed = 0;
    const bool done =
        table_.for_numbered(expressions(), [&](std::size_t first, const Chunk& chunk) {
          if (first + chunk.count() > count) return;  // rows were deleted before it
          add(chunk, first, out);
          placed += chunk.count();
        });
    return done && placed == count ? std::optional(std::move(out)) : std::nullopt;
  }
  CsvTable read_in_order() {
    CsvTable out(columns_);
    std::size_t count = 0;
    for (const auto rows = table_.select(expressions()); rows->next(); count += rows->count()) {
      if (out.rows() < count + rows->count())
        make_room(std::max(2 * out.rows(), count + rows->count()), out);
      add(rows->chunk(), count, out);
    }
    make_room(count, out);
    return out;
  }

  // Features first, then labels, then ids.
  std::string expressions() {
    std::string features, labels, ids;
    const std::vector<Kind> kinds = kinds_of(columns_);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const std::string name = sql_name(table_.columns()[k].name);
      std::string& list = kinds[k] == Kind::Feature ? features
                          : kinds[k] == Kind::Id    ? ids
                                                    : labels;
      if (kinds[k] == Kind::Ignored) continue;
      // Conversions take DuckDB longer than the scan itself.
      if (kinds[k] != Kind::Id && table_.columns()[k].has_plain_numbers())
        list += ", " + name;
      else
        list += ", CAST(" + name + (kinds[k] == Kind::Id ? " AS VARCHAR)" : " AS FLOAT)");
    }
    return (features + labels + ids).substr(2);
  }

  void make_room(std::size_t rows, CsvTable& out) const {
    out.features.resize_rows(rows);
    out.labels.resize_rows(rows);
    if (columns_.has_ids) out.ids.resize(rows);
  }

  // Chunks of other rows may be added at the same time.
  void add(const Chunk& chunk, std::size_t first, CsvTable& out) {
    const std::size_t count = chunk.count();
    thread_local std::vector<float> numbers;
    numbers.resize(columns_.features * count);
    for (std::size_t j = 0; j < columns_.features; ++j) {
      const std::span<float> column(numbers.data() + j * count, count);
      chunk.column(j).numbers(column);
      mark_gaps(chunk.column(j), j, first, column);
    }
    add_features(numbers.data(), first, count, out);
    for (std::size_t j = 0; j < columns_.labels; ++j) {
      numbers.resize(count);
      const Chunk::Column column = chunk.column(columns_.features + j);
      column.numbers(numbers);
      add_label(column, numbers, j, first, out);
    }
    if (!columns_.has_ids) return;
    const Chunk::Column ids = chunk.column(columns_.features + columns_.labels);
    for (std::size_t i = 0; i < count; ++i) {
      if (!ids.has(i) || ids.text(i).empty()) refuse("no id", first + i);
      out.ids[first + i] = ids.text(i);
    }
  }
  // Columns become rows: eight by eight, and what is left of them one by one.
  void add_features(const float* numbers, std::size_t first, std::size_t count, CsvTable& out) {
    const std::size_t columns = columns_.features, eights = count / 8 * 8;
    if (columns == 0) return;
    transpose_strip(numbers, count, eights, 0, columns, out.features.row(first).data(),
                    out.features.stride());
    for (std::size_t i = eights; i < count; ++i)
      for (std::size_t j = 0; j < columns; ++j) out.features(first + i, j) = numbers[j * count + i];
  }
  static bool all_finite(std::span<const float> numbers) {
    constexpr std::uint32_t kNotFinite = 0x7f800000;
    std::uint32_t bad = 0;
    for (const float number : numbers)
      bad |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(number) & kNotFinite) ==
                                        kNotFinite);
    return bad == 0;
  }
  void mark_gaps(const Chunk::Column& column, std::size_t j, std::size_t first,
                 std::span<float> numbers) {
    if (column.has_all() && all_finite(numbers)) return;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!column.has(i)) numbers[i] = std::numeric_limits<float>::quiet_NaN();
      if (std::isinf(numbers[i]))
        refuse("feature '" + columns_.feature_names[j] + "' is not a finite number", first + i);
      if (std::isnan(numbers[i])) has_gaps_ = true;
    }
  }
  void add_label(const Chunk::Column& column, std::span<const float> numbers, std::size_t j,
                 std::size_t first, CsvTable& out) const {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const float value = column.has(i) ? numbers[i] : std::nanf("");
      if (value != 0 && value != 1)
        refuse("label '" + columns_.label_names[j] + "' is neither 0 nor 1", first + i);
      if (value == 1) out.labels.set(first + i, j);
    }
  }
  [[noreturn]] void refuse(const std::string& what, std::size_t row) const {
    throw Error(Failure::Data, what + " in row " + std::to_string(row + 1), {table_.path(), 0, 0},
                "correct the row, or choose others with sql:SELECT ... WHERE ...");
  }

  const DuckDbTable& table_;
  const ReadOptions& options_;
  CsvColumns columns_;
  std::atomic<bool> has_gaps_ = false;
};

// Keeps what is read through it, where that is asked for.
class KeepingInput final : public InputStream {
 public:
  KeepingInput(InputStream& from, std::string* kept) : from_(from), kept_(kept) {}
  std::size_t read(char* into, std::size_t size) override {
    const std::size_t got = from_.read(into, size);
    if (kept_ != nullptr) kept_->append(into, got);
    return got;
  }

 private:
  InputStream& from_;
  std::string* kept_;
};

// The text of the same table, to be written with other labels.
std::function<std::string()> text_again(const std::string& path, const std::string& stamp,
                                        const ReadOptions& options) {
  return unchanged(path, stamp, *options.files, [path, sheets = options.sheets] {
    const DuckDbTable table(path, sheets, term("sheets"));
    DuckDbText text(table);
    return read_all(text, std::numeric_limits<std::uint64_t>::max(), path);
  });
}

}  // namespace

Likeness looks_like_parquet(std::string_view front) {
  return begins_as_parquet(front) ? Likeness::Surely : Likeness::No;
}

RawSet read_duckdb_raw(InputStream&, const std::string& path, const ReadOptions& options) {
  const std::string stamp = options.keep_cells ? options.files->stamp(path) : "";
  const DuckDbTable table(path, options.sheets, term("sheets"), options.threads);
  table.note_left_out(options.notes);
  if (NumberReader::fits(table, options)) return NumberReader(table, options).read();
  DuckDbText text(table);
  if (!options.keep_cells) return read_csv_raw(text, path, as_csv(options));
  // A statement may give something else the next time, and files of a folder may change one by one.
  const bool can_read_again = !stamp.empty() && !options.files->is_folder(path);
  const auto kept = can_read_again ? nullptr : std::make_shared<std::string>();
  KeepingInput keeping(text, kept.get());
  RawSet set = read_csv_raw(keeping, path, as_csv(options));
  if (!set.layout) return set;
  SourceFile::Origin origin{path, "parquet", [kept] { return *kept; }, table.types()};
  if (can_read_again) origin.text = text_again(path, stamp, options);
  set.source = std::make_shared<const TableSource>(
      std::make_shared<const SourceFile>(*set.layout, set.data.rows(), std::move(origin)));
  return set;
}

std::size_t read_duckdb_features(InputStream&, const std::string& path, const ReadOptions& options,
                                 std::size_t rows_before, const TakeFeatures& take) {
  const DuckDbTable table(path, options.sheets, term("sheets"), options.threads);
  table.note_left_out(options.notes);
  DuckDbText text(table);
  return read_csv_features(text, path, as_csv(options), rows_before, take);
}

const FormatRow kDuckDbRow = {.name = "duckdb",
                              .extensions = {".duckdb"},
                              .looks_like = nullptr,
                              .read_raw = read_duckdb_raw,
                              .stream = read_duckdb_features};

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
