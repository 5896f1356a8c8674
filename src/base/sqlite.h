#pragma once

#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

// As much of SQLite as stores need, with its errors turned into ours.
namespace sieve {

class Query;

// A connection. Not shared between threads or with forked processes.
class Database {
 public:
  enum class Access { Read, Write };

  // Write creates the file if it is missing. Read needs only permission to read the file, and its
  // log if there is one. Error(Io), or Error(Data) if it is not a database; messages call it
  // `what`.
  Database(const std::string& path, Access access, std::string what = "result store");
  void run(const std::string& sql);
  Query query(const std::string& sql);
  std::int64_t last_id() const;  // of the last row inserted

 private:
  friend class Query;
  void check(int code) const;
  void open(const std::string& name, int flags);
  int probe() const;

  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::string path_, what_;
  std::shared_ptr<const void> copy_;  // the copy that is read instead of the file, if any
  std::unique_ptr<sqlite3, Close> connection_;
};

// One statement with its parameters bound in order. Lives no longer than its database.
class Query {
 public:
  Query& operator<<(const std::string& value);
  Query& operator<<(double value);
  Query& operator<<(std::uint64_t value);

  bool step();   // whether there is a (further) row
  void reset();  // ready for other parameters
  // Parts of the row, from 0. A NULL is "", NaN or 0.
  std::string text(int column) const;
  double real(int column) const;
  std::uint64_t integer(int column) const;

 private:
  friend class Database;
  Query(const Database& owner, const std::string& sql);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const Database* owner_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

// Everything between construction and commit() happens completely or not at all.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {
    database.run("BEGIN IMMEDIATE");
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace sieve
