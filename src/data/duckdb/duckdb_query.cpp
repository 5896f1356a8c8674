#include "data/duckdb/duckdb_query.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "labelsieve/error.h"
#include "labelsieve/threads.h"

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

namespace {

std::string quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

[[noreturn]] void refuse_query(const std::string& path, const char* why) {
  throw Error(Failure::Data, std::string("DuckDB: ") + (why != nullptr ? why : "it failed"),
              {path, 0, 0}, "check the statement or the file");
}

// The types of numbers, as DuckDB names and numbers them.
struct NumberType {
  std::string_view name;
  int id;
  void (*convert)(const void* data, std::span<float> into);
};
template <class T>
void convert(const void* data, std::span<float> into) {
  const T* numbers = static_cast<const T*>(data);
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<float>(numbers[i]);
}
constexpr std::array kNumberTypes = {
    NumberType{"BOOLEAN", DuckDb::kBoolean, convert<std::uint8_t>},
    NumberType{"TINYINT", 2, convert<std::int8_t>},
    NumberType{"SMALLINT", 3, convert<std::int16_t>},
    NumberType{"INTEGER", 4, convert<std::int32_t>},
    NumberType{"BIGINT", 5, convert<std::int64_t>},
    NumberType{"UTINYINT", 6, convert<std::uint8_t>},
    NumberType{"USMALLINT", 7, convert<std::uint16_t>},
    NumberType{"UINTEGER", 8, convert<std::uint32_t>},
    NumberType{"UBIGINT", 9, convert<std::uint64_t>},
    NumberType{"FLOAT", 10, convert<float>},
    NumberType{"DOUBLE", 11, convert<double>},
};

// Rows whose numbers stand in their first column, as DuckDB hands them to a function in SQL.
class NumberedRows {
 public:
  NumberedRows(const DuckDb& duck, const DuckDbSession::Take& take) : duck_(duck), take_(take) {}

  // False if that cannot be.
  bool become_function(DuckDb::Handle database, const char* name) {
    // A connection of its own: on one where rows were left unread, the function would be lost.
    DuckDb::Handle connection = nullptr;
    if (duck_.connect(database, &connection) != 0) return false;
    DuckDb::Handle function = duck_.create_scalar_function();
    DuckDb::Handle any = duck_.create_logical_type(DuckDb::kAny);
    DuckDb::Handle boolean = duck_.create_logical_type(DuckDb::kBoolean);
    duck_.scalar_function_set_name(function, name);
    duck_.scalar_function_set_varargs(function, any);
    duck_.scalar_function_set_return_type(function, boolean);
    duck_.scalar_function_set_extra_info(function, this, nullptr);
    duck_.scalar_function_set_volatile(function);          // called for all rows
    duck_.scalar_function_set_special_handling(function);  // also for those with NULL
    duck_.scalar_function_set_function(function, called);
    const bool fresh = duck_.register_scalar_function(connection, function) == 0;
    duck_.destroy_logical_type(&any);
    duck_.destroy_logical_type(&boolean);
    duck_.destroy_scalar_function(&function);
    duck_.disconnect(&connection);
    return fresh;
  }
  bool has_gaps() const { return has_gaps_; }
  // The failure in the first of the rows, as if they had come in order.
  void throw_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  static void called(DuckDb::Handle info, DuckDb::Handle chunk, DuckDb::Handle result) {
    const DuckDb& duck = DuckDb::get();
    auto& rows = *static_cast<NumberedRows*>(duck.scalar_function_get_extra_info(info));
    rows.add(info, chunk);
    std::memset(duck.vector_get_data(result), 0, duck.data_chunk_get_size(chunk));
  }
  void add(DuckDb::Handle info, DuckDb::Handle handle) noexcept {
    const DuckDbSession::Chunk chunk(duck_, handle, 1);
    const auto numbers = DuckDbSession::Chunk(duck_, handle).column(0);
    const std::int64_t first = numbers.whole(0);
    bool one_by_one = true;
    for (std::size_t i = 0; i < chunk.count(); ++i)
      one_by_one &= numbers.whole(i) == first + static_cast<std::int64_t>(i);
    if (!one_by_one) has_gaps_ = true;
    try {
      if (!has_gaps_) take_(static_cast<std::size_t>(first), chunk);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_ || first < failed_at_) failure_ = std::current_exception();
      failed_at_ = std::min(failed_at_, first);
    }
    if (has_gaps_) duck_.scalar_function_set_error(info, "rows are not numbered one by one");
  }

  const DuckDb& duck_;
  const DuckDbSession::Take& take_;
  std::atomic<bool> has_gaps_ = false;
  std::mutex mutex_;
  std::int64_t failed_at_ = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr failure_;
};

}  // namespace

std::string sql_text(std::string_view text) {
  return quoted(text, '\'');
}

std::string sql_name(std::string_view name) {
  return quoted(name, '"');
}

DuckDbSession::DuckDbSession(const std::string& file, std::string path, std::size_t threads)
    : duck_(DuckDb::get()), path_(std::move(path)) {
  DuckDb::Handle config = nullptr;
  duck_.create_config(&config);
  // Nothing is fetched from a network and run that nobody asked for.
  duck_.set_config(config, "autoinstall_known_extensions", "false");
  duck_.set_config(config, "threads", std::to_string(threads).c_str());
  if (!file.empty()) duck_.set_config(config, "access_mode", "READ_ONLY");
  if (has_memory_limit())
    duck_.set_config(config, "memory_limit", (std::to_string(memory_limit()) + "B").c_str());
  char* error = nullptr;
  const int failed =
      duck_.open_ext(file.empty() ? nullptr : file.c_str(), &database_, config, &error);
  duck_.destroy_config(&config);
  if (failed != 0) {
    const std::string why = error != nullptr ? error : "it cannot be opened";
    duck_.free(error);
    refuse_query(path_, why.c_str());
  }
  if (duck_.connect(database_, &connection_) != 0) {
    duck_.close(&database_);
    refuse_query(path_, "cannot connect");
  }
}

DuckDbSession::~DuckDbSession() {
  duck_.disconnect(&connection_);
  duck_.close(&database_);
}

// The statements of a text, cut but neither looked up nor run.
class DuckDbSession::Statements {
 public:
  Statements(const DuckDbSession& session, const std::string& sql)
      : duck_(session.duck_),
        count_(duck_.extract_statements(session.connection_, sql.c_str(), &handle_)) {}
  ~Statements() { duck_.destroy_extracted(&handle_); }
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;

  DuckDb::Handle handle() const { return handle_; }
  std::uint64_t count() const { return count_; }
  // Why there are none, if that is a fault.
  const char* error() const {
    return count_ == 0 ? duck_.extract_statements_error(handle_) : nullptr;
  }

 private:
  const DuckDb& duck_;
  DuckDb::Handle handle_ = nullptr;
  std::uint64_t count_;
};

namespace {

constexpr const char* kHint = "give one SELECT; prepare what else is needed with DuckDB itself";

}  // namespace

void DuckDbSession::require_one(const Statements& statements) const {
  if (const char* why = statements.error()) refuse_query(path_, why);
  if (statements.count() == 1) return;
  throw Error(
      Failure::Usage,
      statements.count() == 0 ? "there is no statement" : "there is more than one statement",
      {path_, 0, 0}, kHint);
}

DuckDb::Handle DuckDbSession::prepare(const std::string& sql) const {
  const Statements statements(*this, sql);
  require_one(statements);
  DuckDb::Handle prepared = nullptr;
  if (duck_.prepare_extracted_statement(connection_, statements.handle(), 0, &prepared) != 0) {
    const char* said = duck_.prepare_error(prepared);
    const std::string why = said != nullptr ? said : "";
    duck_.destroy_prepare(&prepared);
    refuse_query(path_, why.c_str());
  }
  return prepared;
}

std::unique_ptr<DuckDbSession::Rows> DuckDbSession::run(const std::string& sql) const {
  return std::make_unique<Rows>(duck_, prepare(sql), path_);
}

// To prepare a statement is to do some of it already: EXPORT DATABASE makes its folder.
void DuckDbSession::require_select(const std::string& sql) const {
  require_one(Statements(*this, sql));
  if (Statements(*this, "SELECT * FROM (" + sql + "\n)").count() == 1) return;
  throw Error(Failure::Usage, "only statements that read data are run, and this one does not",
              {path_, 0, 0}, kHint);
}

bool DuckDbSession::for_numbered(const std::string& number, const std::string& expressions,
                                 const std::string& from, const Take& take) const {
  constexpr const char* kName = "labelsieve_take";
  if (!duck_.has_functions()) return false;
  NumberedRows rows(duck_, take);
  if (!rows.become_function(database_, kName)) return false;
  try {
    run(std::string("SELECT count(*) FILTER (") + kName + "(" + number + ", " + expressions +
        ")) FROM " + from)
        ->next();
  } catch (const Error&) {
    if (!rows.has_gaps()) throw;
  }
  rows.throw_failure();
  return !rows.has_gaps();
}

DuckDbSession::Rows::Rows(const DuckDb& duck, DuckDb::Handle prepared, const std::string& path)
    : duck_(duck), path_(path), prepared_(prepared) {
  const auto execute = duck.execute_prepared_streaming != nullptr ? duck.execute_prepared_streaming
                                                                  : duck.execute_prepared;
  if (execute(prepared_, &result_) != 0) {
    const char* said = duck_.result_error(&result_);
    const std::string why = said != nullptr ? said : "";
    duck_.destroy_result(&result_);
    duck_.destroy_prepare(&prepared_);
    refuse_query(path, why.c_str());
  }
  const std::uint64_t columns = duck_.column_count(&result_);
  for (std::uint64_t i = 0; i < columns; ++i) names_.emplace_back(duck_.column_name(&result_, i));
}

DuckDbSession::Rows::~Rows() {
  if (chunk_ != nullptr) duck_.destroy_data_chunk(&chunk_);
  duck_.destroy_result(&result_);
  duck_.destroy_prepare(&prepared_);
}

bool DuckDbSession::Rows::next() {
  if (over_) return false;
  if (chunk_ != nullptr) duck_.destroy_data_chunk(&chunk_);
  chunk_ = duck_.fetch_chunk(result_);
  count_ = chunk_ != nullptr ? duck_.data_chunk_get_size(chunk_) : 0;
  if (count_ != 0) return true;
  over_ = true;
  // A failure on the way ends the rows as their end does.
  if (const char* why = duck_.result_error(&result_); why != nullptr && *why != 0)
    refuse_query(path_, why);
  return false;
}

DuckDbSession::Chunk::Column DuckDbSession::Chunk::column(std::size_t index) const {
  const DuckDb::Handle vector = duck_.data_chunk_get_vector(handle_, first_column_ + index);
  DuckDb::Handle type = duck_.vector_get_column_type(vector);
  Column column;
  column.type_ = duck_.get_type_id(type);
  column.data_ = duck_.vector_get_data(vector);
  column.valid_ = duck_.vector_get_validity(vector);
  duck_.destroy_logical_type(&type);
  return column;
}

bool DuckDbSession::Chunk::has_numbers(std::string_view type) {
  return std::ranges::find(kNumberTypes, type, &NumberType::name) != kNumberTypes.end();
}

void DuckDbSession::Chunk::Column::numbers(std::span<float> into) const {
  std::ranges::find(kNumberTypes, type_, &NumberType::id)->convert(data_, into);
}

std::string_view DuckDbSession::Chunk::Column::text(std::size_t row) const {
  // 16 bytes: the length, then up to 12 characters, or 4 of them and where all are.
  const char* cell = static_cast<const char*>(data_) + 16 * row;
  std::uint32_t size = 0;
  std::memcpy(&size, cell, sizeof(size));
  if (size <= 12) return {cell + 4, size};
  const char* text = nullptr;
  std::memcpy(&text, cell + 8, sizeof(text));
  return {text, size};
}

}  // namespace sieve
