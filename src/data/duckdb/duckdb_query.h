#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sieve {

// The functions of DuckDB's C interface that are used here, with their types as that interface
// fixes them: DuckDB is loaded at run time, and need not be there to build.
struct DuckDb {
  struct Result {
    std::uint64_t counts[3];
    void* columns;
    char* error;
    void* inside;
  };
  using Handle = void*;
  enum Type { kBoolean = 1, kAny = 34 };

  const char* (*library_version)();
  int (*create_config)(Handle* config);
  int (*set_config)(Handle config, const char* name, const char* value);
  void (*destroy_config)(Handle* config);
  int (*open_ext)(const char* path, Handle* database, Handle config, char** error);
  void (*close)(Handle* database);
  int (*connect)(Handle database, Handle* connection);
  void (*disconnect)(Handle* connection);
  std::uint64_t (*extract_statements)(Handle connection, const char* sql, Handle* statements);
  const char* (*extract_statements_error)(Handle statements);
  int (*prepare_extracted_statement)(Handle connection, Handle statements, std::uint64_t index,
                                     Handle* prepared);
  void (*destroy_extracted)(Handle* statements);
  const char* (*prepare_error)(Handle prepared);
  void (*destroy_prepare)(Handle* prepared);
  int (*execute_prepared)(Handle prepared, Result* result);
  const char* (*result_error)(Result* result);
  std::uint64_t (*column_count)(Result* result);
  const char* (*column_name)(Result* result, std::uint64_t column);
  void (*destroy_result)(Result* result);
  Handle (*fetch_chunk)(Result result);
  std::uint64_t (*data_chunk_get_size)(Handle chunk);
  Handle (*data_chunk_get_vector)(Handle chunk, std::uint64_t column);
  void (*destroy_data_chunk)(Handle* chunk);
  void* (*vector_get_data)(Handle vector);
  std::uint64_t* (*vector_get_validity)(Handle vector);
  Handle (*vector_get_column_type)(Handle vector);
  int (*get_type_id)(Handle type);
  Handle (*create_logical_type)(int id);
  void (*destroy_logical_type)(Handle* type);
  void (*free)(void* memory);
  int (*execute_prepared_streaming)(Handle prepared, Result* result);  // may be null

  // Functions in SQL: since 1.2; all or none of them.
  bool has_functions() const { return scalar_function_set_special_handling != nullptr; }
  using Function = void (*)(Handle info, Handle chunk, Handle result);
  Handle (*create_scalar_function)();
  void (*destroy_scalar_function)(Handle* function);
  void (*scalar_function_set_name)(Handle function, const char* name);
  void (*scalar_function_set_varargs)(Handle function, Handle type);
  void (*scalar_function_set_return_type)(Handle function, Handle type);
  void (*scalar_function_set_extra_info)(Handle function, void* extra, void (*destroy)(void*));
  void (*scalar_function_set_function)(Handle function, Function called);
  int (*register_scalar_function)(Handle connection, Handle function);
  void* (*scalar_function_get_extra_info)(Handle info);
  void (*scalar_function_set_error)(Handle info, const char* error);
  void (*scalar_function_set_volatile)(Handle function);
  void (*scalar_function_set_special_handling)(Handle function);

  // The one that SIEVE_DUCKDB names, else libduckdb.so where the system finds it; loaded once.
  // Error(Usage) that says how to get it, or what it lacks.
  static const DuckDb& get();
  // Why there is none; "" if there is.
  static std::string problem();
};

// A text or a name in SQL.
std::string sql_text(std::string_view text);
std::string sql_name(std::string_view name);

// A database that is open, read only unless it is in memory.
class DuckDbSession {
 public:
  // `file` is that of a database; "" for one in memory. `path` is for messages.
  DuckDbSession(const std::string& file, std::string path, std::size_t threads = 1);
  ~DuckDbSession();
  DuckDbSession(const DuckDbSession&) = delete;
  DuckDbSession& operator=(const DuckDbSession&) = delete;

  const std::string& path() const { return path_; }
  class Chunk;
  class Rows;
  // Error(Data) with what DuckDB says where the statement fails; Error(Usage) if it is not exactly
  // one.
  std::unique_ptr<Rows> run(const std::string& sql) const;
  // Refuses as run() does, and all that cannot stand in brackets where a table does. Nothing is run
  // or looked up for it.
  void require_select(const std::string& sql) const;
  // Calls `take` for all rows of SELECT number, expressions FROM from, on the threads of DuckDB and
  // in any order; rows of a chunk have one number after the other, and `first` is that of the
  // first. False, perhaps after some rows, if the library cannot or the numbers have gaps.
  using Take = std::function<void(std::size_t first, const Chunk& chunk)>;
  bool for_numbered(const std::string& number, const std::string& expressions,
                    const std::string& from, const Take& take) const;

 private:
  class Statements;
  void require_one(const Statements& statements) const;
  DuckDb::Handle prepare(const std::string& sql) const;

  const DuckDb& duck_;
  std::string path_;
  DuckDb::Handle database_ = nullptr, connection_ = nullptr;
};

// Some rows. Texts can be read, and numbers of up to 64 bits.
class DuckDbSession::Chunk {
 public:
  class Column {
   public:
    bool has(std::size_t row) const {
      return valid_ == nullptr || (valid_[row / 64] >> (row % 64) & 1) != 0;
    }
    bool has_all() const { return valid_ == nullptr; }
    std::string_view text(std::size_t row) const;
    std::int64_t whole(std::size_t row) const {  // of BIGINT
      return static_cast<const std::int64_t*>(data_)[row];
    }
    // As 32-bit numbers; anything stands where there is none.
    void numbers(std::span<float> into) const;

   private:
    friend class Chunk;
    int type_ = 0;  // as DuckDB numbers them
    const void* data_ = nullptr;
    const std::uint64_t* valid_ = nullptr;
  };

  // Columns are counted from `first_column` on.
  Chunk(const DuckDb& duck, DuckDb::Handle handle, std::size_t first_column = 0)
      : duck_(duck), handle_(handle), first_column_(first_column) {}
  std::size_t count() const { return duck_.data_chunk_get_size(handle_); }
  Column column(std::size_t index) const;
  // Whether a column of this type, by its name in SQL, can be read as numbers.
  static bool has_numbers(std::string_view type);

 private:
  const DuckDb& duck_;
  DuckDb::Handle handle_;
  std::size_t first_column_;
};

// What a statement gives, some rows at a time.
class DuckDbSession::Rows {
 public:
  Rows(const DuckDb& duck, DuckDb::Handle prepared, const std::string& path);
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  const std::vector<std::string>& names() const { return names_; }
  // The next rows; false at the end. What was read of those before is gone.
  bool next();
  Chunk chunk() const { return {duck_, chunk_}; }
  std::size_t count() const { return count_; }  // of these rows
  Chunk::Column column(std::size_t index) const { return chunk().column(index); }

 private:
  const DuckDb& duck_;
  const std::string& path_;
  DuckDb::Handle prepared_, chunk_ = nullptr;
  DuckDb::Result result_{};
  std::vector<std::string> names_;
  std::size_t count_ = 0;
  bool over_ = false;
};

}  // namespace sieve
