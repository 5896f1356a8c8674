// A DuckDB of an earlier version: it says which, and has hardly any of the functions.
extern "C" const char* duckdb_library_version() {
  return "v0.3.4";
}
