#include "data/duckdb/duckdb_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr const char* kVariable = "SIEVE_DUCKDB";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Failure::Usage, what, {},
              "get libduckdb.so (version 1.0 or later) from duckdb.org, or in the npm package "
              "@duckdb/node-bindings-linux-x64, and name it in the variable " +
                  std::string(kVariable));
}

void* open_library() {
  const char* named = std::getenv(kVariable);
  const bool is_named = named != nullptr && *named != 0;
  if (void* handle = ::dlopen(is_named ? named : "libduckdb.so", RTLD_NOW | RTLD_LOCAL))
    return handle;
  const char* why = ::dlerror();
  refuse(is_named ? std::string("cannot load DuckDB from ") + kVariable + ": " + why
                  : "this needs DuckDB, which is not installed");
}

DuckDb load() {
  void* handle = open_library();
  DuckDb duck{};
  std::string missing;
  const auto find = [&](const char* name, auto& function, bool needed = true) {
    const std::string full = std::string("duckdb_") + name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        ::dlsym(handle, full.c_str()));
    if (function == nullptr && needed && missing.empty()) missing = full;
  };
#define FIND(name) find(#name, duck.name)
  FIND(library_version);
  FIND(create_config);
  FIND(set_config);
  FIND(destroy_config);
  FIND(open_ext);
  FIND(close);
  FIND(connect);
  FIND(disconnect);
  FIND(extract_statements);
  FIND(extract_statements_error);
  FIND(prepare_extracted_statement);
  FIND(destroy_extracted);
  FIND(prepare_error);
  FIND(destroy_prepare);
  FIND(execute_prepared);
  FIND(result_error);
  FIND(column_count);
  FIND(column_name);
  FIND(destroy_result);
  FIND(fetch_chunk);
  FIND(data_chunk_get_size);
  FIND(data_chunk_get_vector);
  FIND(destroy_data_chunk);
  FIND(vector_get_data);
  FIND(vector_get_validity);
  FIND(vector_get_column_type);
  FIND(get_type_id);
  FIND(create_logical_type);
  FIND(destroy_logical_type);
  FIND(free);
#undef FIND
#define FIND(name) find(#name, duck.name, false)
  FIND(execute_prepared_streaming);
  FIND(create_scalar_function);
  FIND(destroy_scalar_function);
  FIND(scalar_function_set_name);
  FIND(scalar_function_set_varargs);
  FIND(scalar_function_set_return_type);
  FIND(scalar_function_set_extra_info);
  FIND(scalar_function_set_function);
  FIND(register_scalar_function);
  FIND(scalar_function_get_extra_info);
  FIND(scalar_function_set_error);
  FIND(scalar_function_set_volatile);
  FIND(scalar_function_set_special_handling);
#undef FIND
  if (missing.empty()) return duck;
  const std::string version = duck.library_version != nullptr ? duck.library_version() : "unknown";
  refuse("the DuckDB library that was found (version " + version + ") has no " + missing);
}

}  // namespace

const DuckDb& DuckDb::get() {
  static const DuckDb duck = load();
  return duck;
}

std::string DuckDb::problem() {
  try {
    get();
    return {};
  } catch (const Error& error) {
    return error.message();
  }
}

}  // namespace sieve
