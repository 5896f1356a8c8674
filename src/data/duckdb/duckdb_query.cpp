#include "data/duckdb/duckdb_query.h"

#include <cstring>
#include <utility>

#include "labelsieve/error.h"
#include "labelsieve/threads.h"

namespace sieve {
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

}  // namespace

std::string sql_text(std::string_view text) {
  return quoted(text, '\'');
}

std::string sql_name(std::string_view name) {
  return quoted(name, '"');
}

DuckDbSession::DuckDbSession(const std::string& file, std::string path)
    : duck_(DuckDb::get()), path_(std::move(path)) {
  DuckDb::Handle config = nullptr;
  duck_.create_config(&config);
  // Nothing is fetched from a network and run that nobody asked for.
  duck_.set_config(config, "autoinstall_known_extensions", "false");
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

DuckDb::Handle DuckDbSession::prepare(const std::string& sql, bool any) const {
  struct Statements {
    const DuckDb& duck;
    DuckDb::Handle handle = nullptr;
    ~Statements() { duck.destroy_extracted(&handle); }
  } statements{duck_};
  const std::uint64_t count =
      duck_.extract_statements(connection_, sql.c_str(), &statements.handle);
  constexpr const char* kHint = "give one SELECT; prepare what else is needed with DuckDB itself";
  if (const char* why = duck_.extract_statements_error(statements.handle); count == 0 && why)
    refuse_query(path_, why);
  if (count == 0) throw Error(Failure::Usage, "there is no statement", {path_, 0, 0}, kHint);
  if (count != 1)
    throw Error(Failure::Usage, "there is more than one statement", {path_, 0, 0}, kHint);
  DuckDb::Handle prepared = nullptr;
  if (duck_.prepare_extracted_statement(connection_, statements.handle, 0, &prepared) != 0) {
    const char* said = duck_.prepare_error(prepared);
    const std::string why = said != nullptr ? said : "";
    duck_.destroy_prepare(&prepared);
    refuse_query(path_, why.c_str());
  }
  if (!any && duck_.prepared_statement_type(prepared) != DuckDb::kSelect) {
    duck_.destroy_prepare(&prepared);
    throw Error(Failure::Usage, "only statements that read data are run, and this one does not",
                {path_, 0, 0}, kHint);
  }
  return prepared;
}

std::unique_ptr<DuckDbSession::Rows> DuckDbSession::run(const std::string& sql, bool any) const {
  return std::make_unique<Rows>(duck_, prepare(sql, any), path_);
}

void DuckDbSession::require_select(const std::string& sql) const {
  DuckDb::Handle prepared = prepare(sql, false);
  duck_.destroy_prepare(&prepared);
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

DuckDbSession::Rows::Column DuckDbSession::Rows::column(std::size_t index) const {
  const DuckDb::Handle vector = duck_.data_chunk_get_vector(chunk_, index);
  Column column;
  column.data_ = duck_.vector_get_data(vector);
  column.valid_ = duck_.vector_get_validity(vector);
  return column;
}

std::string_view DuckDbSession::Rows::Column::text(std::size_t row) const {
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
