#include "base/sqlite.h"

#include <sqlite3.h>
#include <stdlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/system_call.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"

namespace sieve {
namespace {

constexpr int kPatience = 10000;  // milliseconds to wait for a reader or writer to let go

Error error_of(int code, const std::string& message, const std::string& path,
               const std::string& what) {
  const Place where{path, 0, 0};
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {Failure::Data, "this is not a " + what + ", or it is damaged (" + message + ")",
              where};
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return {Failure::Io, "the disk refuses (" + message + ")", where,
              "make room, then run the same command again: what was stored is safe"};
    case SQLITE_CANTOPEN:
      if (!FileSystem::real().exists(path)) fail_call("open", path, ENOENT);
      [[fallthrough]];
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {Failure::Io, "cannot open the store (" + message + ")", where,
              "check that the file and its folder can be written"};
    default:
      return {Failure::Io, "the store failed: " + message, where};
  }
}

// Readers leave an empty log behind.
bool has_log(const std::string& path) {
  FileSystem& files = FileSystem::real();
  return files.exists(path + "-wal") && files.size(path + "-wal") != 0;
}

std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path)
    uri += c == '?' ? "%3f" : c == '#' ? "%23" : c == '%' ? "%25" : std::string(1, c);
  return uri;
}

// A database and its log in a folder of our own, where SQLite can recover the one from the other.
class PrivateCopy {
 public:
  PrivateCopy() {
    std::string name = std::filesystem::temp_directory_path() / "sieve-store-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      throw Error(Failure::Io, std::string("mkdtemp failed: ") + std::strerror(errno),
                  {name, 0, 0});
    folder_ = name;
  }
  void take(const std::string& path) const {
    // A writer may start meanwhile and move the content of the log to the file.
    for (bool still = false; !still;) {
      const auto before = times(path);
      for (const char* end : {"", "-wal"})
        std::filesystem::copy_file(path + end, this->path() + end,
                                   std::filesystem::copy_options::overwrite_existing);
      still = times(path) == before;
    }
  }
  ~PrivateCopy() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  PrivateCopy(const PrivateCopy&) = delete;
  PrivateCopy& operator=(const PrivateCopy&) = delete;

  std::string path() const { return folder_ / "store"; }

 private:
  static std::array<std::filesystem::file_time_type, 2> times(const std::string& path) {
    return {std::filesystem::last_write_time(path),
            std::filesystem::last_write_time(path + "-wal")};
  }
  std::filesystem::path folder_;
};

}  // namespace

void Database::Close::operator()(sqlite3* connection) const {
  sqlite3_close(connection);
}

void Query::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Database::open(const std::string& name, int flags) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &opened, flags, nullptr);
  connection_.reset(opened);
  check(code);
  sqlite3_busy_timeout(opened, kPatience);
  check(sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr));
}

Database::Database(const std::string& path, Access access, std::string what)
    : path_(path), what_(std::move(what)) {
  if (access == Access::Write) {
    open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    return;
  }
  open(path, SQLITE_OPEN_READONLY);
  const int code = probe();
  if (code != SQLITE_CANTOPEN && code != SQLITE_READONLY) return;
  // WAL mode needs to write its -shm file, and may not. Without a log nobody is writing, and the
  // file can be read as it is.
  if (!has_log(path)) {
    open(uri_of(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    return;
  }
  try {
    const auto copy = std::make_shared<const PrivateCopy>();
    copy->take(path);
    open(copy->path(), SQLITE_OPEN_READWRITE);
    copy_ = copy;
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(Failure::Io, "the store and its log cannot be copied: " + error.code().message(),
                {error.path1().string(), 0, 0}, "both files must be readable");
  }
}

// The result of a first look into the file.
int Database::probe() const {
  sqlite3_stmt* annotation = nullptr;
  int code = sqlite3_prepare_v2(connection_.get(), "PRAGMA user_version", -1, &annotation, nullptr);
  if (code == SQLITE_OK) code = sqlite3_step(annotation);
  sqlite3_finalize(annotation);
  return code & 0xff;
}

void Database::check(int code) const {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  const char* message = connection_ ? sqlite3_errmsg(connection_.get()) : sqlite3_errstr(code);
  throw error_of(code, message, path_, what_);
}

void Database::run(const std::string& sql) {
  check(sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

Query Database::query(const std::string& sql) {
  return {*this, sql};
}

std::int64_t Database::last_id() const {
  return sqlite3_last_insert_rowid(connection_.get());
}

Query::Query(const Database& owner, const std::string& sql) : owner_(&owner) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(owner.connection_.get(), sql.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  owner.check(code);
}

Query& Query::operator<<(const std::string& value) {
  owner_->check(sqlite3_bind_text(statement_.get(), ++bound_, value.data(),
                                  static_cast<int>(value.size()), SQLITE_TRANSIENT));
  return *this;
}

Query& Query::operator<<(double value) {
  owner_->check(sqlite3_bind_double(statement_.get(), ++bound_, value));
  return *this;
}

Query& Query::operator<<(std::uint64_t value) {
  owner_->check(sqlite3_bind_int64(statement_.get(), ++bound_, static_cast<sqlite3_int64>(value)));
  return *this;
}

bool Query::step() {
  const int code = sqlite3_step(statement_.get());
  owner_->check(code);
  return code == SQLITE_ROW;
}

void Query::reset() {
  sqlite3_reset(statement_.get());  // repeats the error of the last step, which was thrown
  bound_ = 0;
}

std::string Query::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? std::string() : std::string(bytes, size);
}

double Query::real(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL
             ? std::numeric_limits<double>::quiet_NaN()
             : sqlite3_column_double(statement_.get(), column);
}

std::uint64_t Query::integer(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const Error&) {
    // SQLite has already rolled back, as it does when the disk is full.
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace sieve
