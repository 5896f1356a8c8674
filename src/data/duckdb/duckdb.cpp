#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_set>
#include <utility>

#include "data/csv/csv_columns.h"
#include "data/csv/csv_rows.h"
#include "data/csv/csv_set.h"
#include "data/duckdb/duckdb_table.h"
#include "data/formats.h"
#include "data/ids.h"
#include "labelsieve/error.h"
#include "labelsieve/setting_names.h"

namespace sieve {
namespace {

using Kind = CsvColumns::Kind;
using Rows = DuckDbSession::Rows;

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
  const Rows::Column values = rows->column(0);
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
    CsvTable out(columns_);
    out.unspelled.assign(columns_.features, true);
    // Memory that need not grow on the way, where the number of rows is known at once.
    make_room(table_.count_if_known(), out);
    std::size_t count = 0;
    for (const auto rows = table_.select(expressions()); rows->next(); count += rows->count()) {
      if (out.rows() < count + rows->count())
        make_room(std::max(2 * out.rows(), count + rows->count()), out);
      add(*rows, count, out);
    }
    make_room(count, out);
    if (count == 0)
      throw Error(Failure::Data, "there are no rows of data", {table_.path(), 0, 0},
                  "check the file or the statement");
    check_ids(out.ids, table_.path());
    return raw_set(std::move(out), columns_, NumberMarks(options_), 0, options_, table_.path());
  }

 private:
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
      list += ", CAST(" + name + (kinds[k] == Kind::Id ? " AS VARCHAR)" : " AS FLOAT)");
    }
    return (features + labels + ids).substr(2);
  }

  static void make_room(std::size_t rows, CsvTable& out) {
    out.features.resize_rows(rows);
    out.labels.resize_rows(rows);
  }

  void add(const Rows& rows, std::size_t first, CsvTable& out) {
    add_features(rows, first, out);
    for (std::size_t j = 0; j < columns_.labels; ++j)
      add_label(rows.column(columns_.features + j), j, first, rows.count(), out);
    if (!columns_.has_ids) return;
    const Rows::Column ids = rows.column(columns_.features + columns_.labels);
    for (std::size_t i = 0; i < rows.count(); ++i) {
      if (!ids.has(i) || ids.text(i).empty()) refuse("no id", first + i);
      out.ids.emplace_back(ids.text(i));
    }
  }

  // Row by row, so that each line of the cache is written once.
  void add_features(const Rows& rows, std::size_t first, CsvTable& out) {
    const std::size_t columns = columns_.features, count = rows.count();
    std::vector<const float*> values(columns);
    std::vector<std::size_t> unusual;
    for (std::size_t j = 0; j < columns; ++j) {
      const Rows::Column column = rows.column(j);
      values[j] = column.numbers();
      if (!column.has_all() || !all_finite({values[j], count})) unusual.push_back(j);
    }
    for (std::size_t i = 0; i < count; ++i) {
      float* row = out.features.row(first + i).data();
      for (std::size_t j = 0; j < columns; ++j) row[j] = values[j][i];
    }
    for (const std::size_t j : unusual) add_gaps(rows.column(j), j, first, count, out);
  }
  static bool all_finite(std::span<const float> numbers) {
    constexpr std::uint32_t kNotFinite = 0x7f800000;
    std::uint32_t bad = 0;
    for (const float number : numbers)
      bad |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(number) & kNotFinite) ==
                                        kNotFinite);
    return bad == 0;
  }
  void add_gaps(const Rows::Column& values, std::size_t j, std::size_t first, std::size_t count,
                CsvTable& out) const {
    for (std::size_t i = 0; i < count; ++i) {
      float& number = out.features(first + i, j);
      if (!values.has(i)) number = std::numeric_limits<float>::quiet_NaN();
      if (std::isinf(number))
        refuse("feature '" + columns_.feature_names[j] + "' is not a finite number", first + i);
      out.has_gaps |= std::isnan(number);
    }
  }
  void add_label(const Rows::Column& values, std::size_t j, std::size_t first, std::size_t count,
                 CsvTable& out) const {
    for (std::size_t i = 0; i < count; ++i) {
      const float value = values.has(i) ? values.numbers()[i] : std::nanf("");
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
};

}  // namespace

Likeness looks_like_parquet(std::string_view front) {
  return begins_as_parquet(front) ? Likeness::Surely : Likeness::No;
}

RawSet read_duckdb_raw(InputStream&, const std::string& path, const ReadOptions& options) {
  const DuckDbTable table(path, options.sheets, term("sheets"));
  table.note_left_out(options.notes);
  if (NumberReader::fits(table, options)) return NumberReader(table, options).read();
  DuckDbText text(table);
  return read_csv_raw(text, path, as_csv(options));
}

std::size_t read_duckdb_features(InputStream&, const std::string& path, const ReadOptions& options,
                                 std::size_t rows_before, const TakeFeatures& take) {
  const DuckDbTable table(path, options.sheets, term("sheets"));
  table.note_left_out(options.notes);
  DuckDbText text(table);
  return read_csv_features(text, path, as_csv(options), rows_before, take);
}

const FormatRow kDuckDbRow = {.name = "duckdb",
                              .extensions = {".duckdb"},
                              .looks_like = nullptr,
                              .read_raw = read_duckdb_raw,
                              .stream = read_duckdb_features,
                              .write = nullptr};

}  // namespace sieve
