#pragma once

#include <cstdint>
#include <string>

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

}  // namespace sieve
