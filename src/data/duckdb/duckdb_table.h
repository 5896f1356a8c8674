#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/duckdb/duckdb_query.h"
#include "data/table_source.h"
#include "labelsieve/data_io.h"
#include "labelsieve/files.h"

namespace sieve {

// Begins a statement in the place of a file: "sql:SELECT * FROM 'data.parquet'".
inline constexpr std::string_view kSqlMark = "sql:";

// Whether the first bytes are those of a file that DuckDB reads: Parquet, or a database of its own.
bool begins_as_parquet(std::string_view front);
bool begins_as_database(std::string_view front);

// A table that DuckDB reads: a Parquet file, one of a database, or what a statement gives.
class DuckDbTable {
 public:
  struct Column {
    std::string name, type;  // "BIGINT", "VARCHAR[]", ...
    bool is_number() const;
    // Of a kind that need not be converted by DuckDB.
    bool has_plain_numbers() const { return DuckDbSession::Chunk::has_numbers(type); }
    bool is_list() const { return type.ends_with(']'); }
  };

  // `wanted` are tables of a database. Error(Data) where there are several and none is named,
  // Error(Usage) for one that is not there; `setting` is what names it.
  DuckDbTable(const std::string& path, const std::vector<std::string>& wanted,
              const std::string& setting, const ThreadPool* threads = nullptr);

  const std::string& path() const { return path_; }
  // All but those of bytes (pictures, say), which note_left_out() names.
  const std::vector<Column>& columns() const { return columns_; }
  ColumnTypes types() const;
  void note_left_out(std::vector<std::string>* notes) const;
  // The rows of a file or a table of a database; 0 for a statement, which would run twice.
  std::size_t count_if_known() const;
  // As DuckDbSession::for_numbered(); also false for a table that does not number its rows.
  bool for_numbered(const std::string& expressions, const DuckDbSession::Take& take) const;
  // SELECT ... FROM the table, with these expressions.
  std::unique_ptr<DuckDbSession::Rows> select(const std::string& expressions) const;

 private:
  std::string table_of_database(const std::vector<std::string>& wanted,
                                const std::string& setting) const;

  std::string path_;
  DuckDbSession session_;
  std::string from_;  // what stands behind FROM
  // The numbers of the rows, and what stands behind FROM to have them; "" if there are none.
  std::string number_, numbered_from_;
  bool statement_ = false;
  std::vector<Column> columns_;
  std::vector<std::string> left_out_;
};

// The table as the text of a CSV file, with commas. Lists are JSON.
class DuckDbText final : public InputStream {
 public:
  static constexpr char kDelimiter = ',';

  explicit DuckDbText(const DuckDbTable& table);
  std::size_t read(char* into, std::size_t size) override;

 private:
  void add_line_of_names();
  bool add_rows();

  std::unique_ptr<DuckDbSession::Rows> rows_;
  std::string text_;
  std::size_t given_ = 0;
};

// The Parquet files of a folder as Hugging Face keeps a data set: in the folder or in data/ below
// it, those of "train" first and those of "test" last. Empty if there are none.
std::vector<std::string> parquet_shards(const std::string& folder, FileSystem& files);

// What stands behind FROM to read them as one table, with the names of classes in the place of
// their numbers where dataset_info.json has them. Error(Data) for a number without a name.
std::string hugging_face_table(const std::string& folder);

}  // namespace sieve
