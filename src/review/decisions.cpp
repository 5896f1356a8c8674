#include "review/decisions.h"

#include <array>
#include <cmath>
#include <unordered_map>

#include "base/file_lock.h"
#include "base/utc_now.h"
#include "experiment/sqlite.h"
#include "labelsieve/error.h"
#include "labelsieve/version.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

constexpr std::uint64_t kApplication = 0x53495256, kFormat = 1;
constexpr const char* kWhat = "file of decisions";

constexpr const char* kSchema = R"(
  CREATE TABLE reviews(data TEXT NOT NULL, rows INTEGER NOT NULL, has_ids INTEGER NOT NULL,
    version TEXT NOT NULL, made TEXT NOT NULL);
  CREATE TABLE lines(id INTEGER PRIMARY KEY, made TEXT NOT NULL, reviewer TEXT NOT NULL,
    kind TEXT NOT NULL, item TEXT, label TEXT, answer INTEGER, confidence REAL,
    note TEXT NOT NULL, rule TEXT NOT NULL, undoes INTEGER NOT NULL, nonce TEXT NOT NULL UNIQUE);
  CREATE TABLE members(line INTEGER NOT NULL REFERENCES lines(id), item TEXT NOT NULL,
    label TEXT NOT NULL, answer INTEGER NOT NULL, confidence REAL,
    PRIMARY KEY(line, item, label)) WITHOUT ROWID;
  CREATE TABLE estimates(line INTEGER NOT NULL, decisions INTEGER NOT NULL, share REAL NOT NULL,
    low REAL NOT NULL, high REAL NOT NULL);
)";

constexpr std::array<std::string_view, 5> kKinds = {"decide", "row", "bulk", "skip", "undo"};

using Kind = DecisionLine::Kind;

bool has_members(Kind kind) {
  return kind == Kind::Row || kind == Kind::Bulk;
}

Error refused(const std::string& path, const std::string& message, const std::string& hint) {
  return {Failure::Data, message, {path, 0, 0}, hint};
}

std::uint64_t number(Database& database, const std::string& sql) {
  Query query = database.query(sql);
  return query.step() ? query.integer(0) : 0;
}

bool is_blank(Database& database) {
  return number(database, "SELECT count(*) FROM sqlite_master") == 0;
}

void require_log(Database& database, const std::string& path) {
  if (number(database, "PRAGMA application_id") != kApplication)
    throw refused(path, std::string("this is not a ") + kWhat,
                  "give the file that a review has written");
  if (const std::uint64_t format = number(database, "PRAGMA user_version"); format != kFormat)
    throw refused(path,
                  "the decisions have format " + std::to_string(format) +
                      ", and this version of sieve knows format " + std::to_string(kFormat),
                  "use the version of sieve that wrote them");
  if (number(database, "SELECT count(*) FROM sqlite_master WHERE sql NOT LIKE 'CREATE TABLE %'") !=
      0)
    throw refused(path, "the file holds more than tables",
                  "drop its views, triggers and indexes if you trust it: sieve made none");
}

// Rows that have no ids are known by their number alone.
void require_same_rows(Database& database, const Dataset& data, const std::string& path) {
  Query query = database.query("SELECT rows, has_ids FROM reviews ORDER BY rowid LIMIT 1");
  if (!query.step()) throw refused(path, "the file is not complete", "start a new one");
  const bool had_ids = query.integer(1) != 0;
  if (had_ids && data.ids.empty())
    throw refused(path, "the decisions are about rows with ids, and these rows have none",
                  "name the column of the ids by " + term("id_column"));
  if (!had_ids && !data.ids.empty())
    throw refused(path, "the decisions are about rows without ids, and these rows have them",
                  "read the data without ids by " + term("id_column", "none"));
  if (!had_ids && query.integer(0) != data.rows())
    throw refused(path,
                  "the decisions are about " + std::to_string(query.integer(0)) +
                      " rows without ids, and there are " + std::to_string(data.rows()),
                  "give the data that were reviewed, or review rows that have ids");
}

// Rows and labels by the names the file has for them.
class Names {
 public:
  explicit Names(const Dataset& data) : data_(data) {
    for (std::size_t i = 0; i < data.rows(); ++i)
      rows_.emplace(row_name(data, i), static_cast<std::uint32_t>(i));
    for (std::size_t k = 0; k < data.labels(); ++k)
      labels_.emplace(data.label_names[k], static_cast<std::uint32_t>(k));
  }
  std::optional<Cell> find(const std::string& row, const std::string& label) const {
    const auto r = rows_.find(row);
    const auto l = labels_.find(label);
    if (r == rows_.end() || l == labels_.end()) return std::nullopt;
    return Cell{r->second, l->second};
  }
  std::string row(Cell at) const { return row_name(data_, at.row); }
  const std::string& label(Cell at) const { return data_.label_names[at.label]; }

 private:
  const Dataset& data_;
  std::unordered_map<std::string, std::uint32_t> rows_, labels_;
};

void read_members(Database& database, const Names& names, DecisionLine& line, Decisions& into) {
  Query query =
      database.query("SELECT item, label, answer, confidence FROM members WHERE line = ?");
  query << line.id;
  while (query.step())
    if (const auto at = names.find(query.text(0), query.text(1)))
      line.choices.push_back({*at, query.integer(2) != 0, query.real(3)});
    else
      ++into.strangers;
}

Decisions read_all_lines(Database& database, const Names& names, const std::string& path) {
  Decisions all;
  Query query = database.query(
      "SELECT id, made, reviewer, kind, item, label, answer, confidence, note, rule, undoes, nonce "
      "FROM lines ORDER BY id");
  while (query.step()) {
    DecisionLine line;
    line.id = query.integer(0);
    line.made = query.text(1);
    line.reviewer = query.text(2);
    std::size_t kind = 0;
    while (kind < kKinds.size() && kKinds[kind] != query.text(3)) ++kind;
    if (kind == kKinds.size())
      throw refused(path, "line " + std::to_string(line.id) + " is of an unknown kind",
                    "use the version of sieve that wrote it");
    line.kind = static_cast<Kind>(kind);
    line.note = query.text(8);
    line.rule = query.text(9);
    line.undoes = query.integer(10);
    line.nonce = query.text(11);
    if (has_members(line.kind))
      read_members(database, names, line, all);
    else if (line.kind != Kind::Undo) {
      if (const auto at = names.find(query.text(4), query.text(5)))
        line.choices.push_back({*at, query.integer(6) != 0, query.real(7)});
      else
        ++all.strangers;
    }
    all.lines.push_back(std::move(line));
  }
  Query estimates =
      database.query("SELECT line, decisions, share, low, high FROM estimates ORDER BY rowid");
  while (estimates.step())
    all.estimates.push_back({estimates.integer(0), estimates.integer(1), estimates.real(2),
                             estimates.real(3), estimates.real(4)});
  return all;
}

void bind_choice(Query& query, const Names& names, const Choice& choice) {
  query << names.row(choice.at) << names.label(choice.at)
        << static_cast<std::uint64_t>(choice.on ? 1 : 0) << choice.confidence;  // NaN is NULL
}

}  // namespace

std::string_view kind_name(Kind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

Decisions read_decision_log(const std::string& path, const Dataset& data) {
  Database database(path, Database::Access::Read, kWhat);
  database.run("BEGIN");  // everything as of one moment
  if (is_blank(database)) return {};
  require_log(database, path);
  require_same_rows(database, data, path);
  return read_all_lines(database, Names(data), path);
}

class DecisionLog::Impl {
 public:
  Impl(const std::string& path, const Dataset& data)
      : names_(data),
        lock_(path, "review", "its page serves several reviewers: use that one, or end it first"),
        database_(path, Database::Access::Write, kWhat) {
    database_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    if (is_blank(database_)) make(data);
    require_log(database_, path);
    require_same_rows(database_, data, path);
    content_ = read_all_lines(database_, names_, path);
  }

  const DecisionLine& add(DecisionLine line) {
    line.made = utc_now();
    Transaction transaction(database_);
    insert(line);
    line.id = static_cast<std::uint64_t>(database_.last_id());
    if (has_members(line.kind)) insert_members(line);
    transaction.commit();
    content_.lines.push_back(std::move(line));
    return content_.lines.back();
  }

  void add(const EstimateLine& estimate) {
    // It can be made again: not worth waiting for the disk.
    database_.run("PRAGMA synchronous = NORMAL");
    Query query = database_.query("INSERT INTO estimates VALUES(?, ?, ?, ?, ?)");
    query << estimate.line << estimate.decisions << estimate.share << estimate.low << estimate.high;
    query.step();
    database_.run("PRAGMA synchronous = FULL");
    content_.estimates.push_back(estimate);
  }

  const Decisions& content() const { return content_; }

 private:
  void make(const Dataset& data) {
    Transaction transaction(database_);
    database_.run("PRAGMA application_id = " + std::to_string(kApplication) +
                  "; PRAGMA user_version = " + std::to_string(kFormat));
    database_.run(kSchema);
    Query query = database_.query("INSERT INTO reviews VALUES(?, ?, ?, ?, ?)");
    query << data.name << std::uint64_t{data.rows()}
          << static_cast<std::uint64_t>(data.ids.empty() ? 0 : 1) << std::string(version())
          << utc_now();
    query.step();
    transaction.commit();
  }

  void insert(const DecisionLine& line) {
    const bool one = line.choices.size() == 1 && !has_members(line.kind);
    Query query =
        database_.query(one ? "INSERT INTO lines(item, label, answer, confidence, made, reviewer, "
                              "kind, note, rule, "
                              "undoes, nonce) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                            : "INSERT INTO lines(made, reviewer, kind, note, rule, undoes, nonce) "
                              "VALUES(?, ?, ?, ?, ?, ?, ?)");
    if (one) bind_choice(query, names_, line.choices.front());
    query << line.made << line.reviewer << std::string(kind_name(line.kind)) << line.note
          << line.rule << line.undoes << line.nonce;
    query.step();
  }

  void insert_members(const DecisionLine& line) {
    Query query = database_.query(
        "INSERT INTO members(line, item, label, answer, confidence) VALUES(?, ?, ?, ?, ?)");
    for (const Choice& choice : line.choices) {
      query.reset();
      query << line.id;
      bind_choice(query, names_, choice);
      query.step();
    }
  }

  Names names_;
  FileLock lock_;
  Database database_;
  Decisions content_;
};

DecisionLog::DecisionLog(const std::string& path, const Dataset& data)
    : impl_(std::make_unique<Impl>(path, data)) {}

DecisionLog::~DecisionLog() = default;

const Decisions& DecisionLog::content() const {
  return impl_->content();
}

const DecisionLine& DecisionLog::add(DecisionLine line) {
  return impl_->add(std::move(line));
}

void DecisionLog::add(const EstimateLine& estimate) {
  impl_->add(estimate);
}

}  // namespace sieve
