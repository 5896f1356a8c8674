#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/duckdb/duckdb_library.h"

namespace sieve {

// A text or a name in SQL.
std::string sql_text(std::string_view text);
std::string sql_name(std::string_view name);

// A database that is open, read only unless it is in memory.
class DuckDbSession {
 public:
  // `file` is that of a database; "" for one in memory. `path` is for messages.
  DuckDbSession(const std::string& file, std::string path);
  ~DuckDbSession();
  DuckDbSession(const DuckDbSession&) = delete;
  DuckDbSession& operator=(const DuckDbSession&) = delete;

  const std::string& path() const { return path_; }
  class Rows;
  // Error(Data) with what DuckDB says where the statement fails; Error(Usage) if it is not exactly
  // one and, unless `any` kind will do, reads nothing but data (SELECT).
  std::unique_ptr<Rows> run(const std::string& sql, bool any = false) const;
  // Refuses as run() does, without running it.
  void require_select(const std::string& sql) const;

 private:
  DuckDb::Handle prepare(const std::string& sql, bool any) const;

  const DuckDb& duck_;
  std::string path_;
  DuckDb::Handle database_ = nullptr, connection_ = nullptr;
};

// What a statement gives, some rows at a time. Texts and 32-bit numbers can be read.
class DuckDbSession::Rows {
 public:
  Rows(const DuckDb& duck, DuckDb::Handle prepared, const std::string& path);
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  const std::vector<std::string>& names() const { return names_; }
  // The next rows; false at the end. What was read of those before is gone.
  bool next();
  std::size_t count() const { return count_; }  // of these rows

  // A column of these rows.
  class Column {
   public:
    bool has(std::size_t row) const {
      return valid_ == nullptr || (valid_[row / 64] >> (row % 64) & 1) != 0;
    }
    bool has_all() const { return valid_ == nullptr; }
    std::string_view text(std::size_t row) const;
    const float* numbers() const { return static_cast<const float*>(data_); }

   private:
    friend class Rows;
    const void* data_ = nullptr;
    const std::uint64_t* valid_ = nullptr;
  };
  Column column(std::size_t index) const;

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
