#include "review/decisions.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <unordered_map>

#include <fmt/format.h>

#include "base/file_lock.h"
#include "base/format_text.h"
#include "base/sqlite.h"
#include "data/fingerprint.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::uint64_t kApplication = 0x53495256, kFormat = 1;
constexpr const char* kWhat = "file of decisions";
constexpr const char* kWho = "review";
constexpr const char* kUseOne = "its page serves several reviewers: use that one, or end it first";
// Decisions are on the disk, however long it takes; estimates can be made again.
constexpr const char* kPatient = "PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000";
constexpr const char* kHurried = "PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0";
constexpr std::size_t kSample = 1000;  // rows whose content is remembered

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
  CREATE TABLE sample(item TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
)";

// Files of earlier versions do not have these.
constexpr const char* kAuditSchema = R"(
  CREATE TABLE IF NOT EXISTS audited(line INTEGER PRIMARY KEY REFERENCES lines(id),
    audit TEXT NOT NULL, lane TEXT NOT NULL, draw INTEGER NOT NULL, pass INTEGER NOT NULL,
    probability REAL NOT NULL, shown TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS claims(line INTEGER NOT NULL, audit TEXT NOT NULL,
    decisions INTEGER NOT NULL, cells INTEGER NOT NULL, level REAL NOT NULL, share REAL NOT NULL,
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

std::string content_text(std::uint64_t fingerprint) {
  return fmt::format("{:016x}", fingerprint);
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
  std::optional<std::size_t> row_called(const std::string& name) const {
    const auto found = rows_.find(name);
    if (found == rows_.end()) return std::nullopt;
    return found->second;
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
      ++into.unknown_cells;
}

bool has_table(Database& database, const std::string& name) {
  return number(database, "SELECT count(*) FROM sqlite_master WHERE name = '" + name + "'") != 0;
}

void read_audits(Database& database, Decisions& into) {
  if (!has_table(database, "audited")) return;
  Query query = database.query(
      "SELECT line, audit, lane, draw, pass, probability, shown FROM audited ORDER BY line");
  while (query.step()) {
    const auto line = std::ranges::lower_bound(into.lines, query.integer(0), {}, &DecisionLine::id);
    if (line != into.lines.end() && line->id == query.integer(0))
      line->audited = {query.text(1),    query.text(2), query.integer(3),
                       query.integer(4), query.real(5), query.text(6)};
  }
  Query claims = database.query(
      "SELECT line, audit, decisions, cells, level, share, low, high FROM claims ORDER BY rowid");
  while (claims.step())
    into.claims.push_back({claims.integer(0), claims.text(1), claims.integer(2), claims.integer(3),
                           claims.real(4), claims.real(5), claims.real(6), claims.real(7)});
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
        ++all.unknown_cells;
    }
    all.lines.push_back(std::move(line));
  }
  Query estimates =
      database.query("SELECT line, decisions, share, low, high FROM estimates ORDER BY rowid");
  while (estimates.step())
    all.estimates.push_back({estimates.integer(0), estimates.integer(1), estimates.real(2),
                             estimates.real(3), estimates.real(4)});
  read_audits(database, all);
  return all;
}

// Rows that have no ids are known by their number alone.
bool require_same_rows(Database& database, const Dataset& data, const std::string& path) {
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
  return had_ids;
}

// Some rows from all over the data, the same ones every time.
std::vector<std::size_t> sample_of(const Dataset& data) {
  const std::size_t count = std::min(kSample, data.rows());
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < count; ++k) rows.push_back(k * data.rows() / count);
  return rows;
}

// How many rows of the sample are in the data, and how many of these are as they were.
struct Compared {
  std::size_t rows = 0, same = 0;
};

std::optional<Compared> compare_content(Database& database, const Dataset& data,
                                        const Names& names) {
  if (number(database, "SELECT count(*) FROM sqlite_master WHERE name = 'sample'") == 0)
    return std::nullopt;
  std::vector<std::size_t> rows;
  std::vector<std::string> before;
  Query query = database.query("SELECT item, content FROM sample");
  while (query.step())
    if (const auto row = names.row_called(query.text(0))) {
      rows.push_back(*row);
      before.push_back(query.text(1));
    }
  const auto now = row_fingerprints(data, rows);
  if (!now || rows.empty()) return std::nullopt;
  Compared out{rows.size(), 0};
  for (std::size_t k = 0; k < rows.size(); ++k) out.same += content_text((*now)[k]) == before[k];
  return out;
}

// Refuses decisions on rows that are certainly others, and notes what is doubtful.
void check_data(Database& database, const Dataset& data, const Names& names,
                const std::string& path, Decisions& decisions) {
  const bool have_ids = require_same_rows(database, data, path);
  Query reviewed = database.query("SELECT data FROM reviews ORDER BY rowid LIMIT 1");
  const std::string hint = "give the data that were reviewed" +
                           (reviewed.step() ? ": " + reviewed.text(0) : std::string());
  const auto compared = compare_content(database, data, names);
  if (have_ids) {
    if (compared && 2 * compared->same < compared->rows)
      decisions.notes.push_back(
          path + ": the decisions are applied by the ids of rows, but " +
          std::to_string(compared->rows - compared->same) + " of " +
          std::to_string(compared->rows) +
          " rows compared have other content than when they were reviewed: check that these are "
          "the same items");
  } else if (!compared) {
    decisions.notes.push_back(path +
                              ": it could not be checked that the decisions are about these data: "
                              "only the number of rows and the names of labels were compared");
    if (decisions.unknown_cells > 0)
      throw refused(path, "the decisions are about labels that these data do not have", hint);
  } else if (compared->same != compared->rows) {
    throw refused(path,
                  "the decisions are about other data: of " + std::to_string(compared->rows) +
                      " rows compared, " + std::to_string(compared->rows - compared->same) +
                      " have other content, and there are no ids to know them by",
                  hint);
  }
  const bool any = std::ranges::any_of(
      decisions.lines, [](const DecisionLine& line) { return !line.choices.empty(); });
  if (decisions.unknown_cells > 0 && !any)
    throw refused(path, "none of the decisions is about a row and a label of these data", hint);
}

Decisions read_checked(Database& database, const Dataset& data, const Names& names,
                       const std::string& path) {
  Decisions decisions = read_all_lines(database, names, path);
  check_data(database, data, names, path, decisions);
  return decisions;
}

// Which file a path leads to; nothing if to none.
std::optional<std::pair<dev_t, ino_t>> file_at(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
  return std::pair(facts.st_dev, facts.st_ino);
}

void bind_choice(Query& query, const Names& names, const Choice& choice) {
  query << names.row(choice.at) << names.label(choice.at)
        << static_cast<std::uint64_t>(choice.on ? 1 : 0) << choice.probability;  // NaN is NULL
}

}  // namespace

std::string_view kind_name(Kind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

void check_decisions(const std::string& path) {
  if (!FileSystem::real().exists(path)) return;
  const std::string real_path = std::filesystem::weakly_canonical(path);
  const FileLock lock(real_path, kWho, kUseOne);
  const SameFileLock same_file(real_path, kWho, kUseOne);
  Database database(real_path, Database::Access::Read, kWhat);
  if (!is_blank(database)) require_log(database, path);
}

Decisions read_decision_log(const std::string& path, const Dataset& data) {
  Database database(path, Database::Access::Read, kWhat);
  database.run("BEGIN");  // everything as of one moment
  if (is_blank(database)) return {};
  require_log(database, path);
  return read_checked(database, data, Names(data), path);
}

MisplacedDecisions::MisplacedDecisions(const std::string& path, const std::string& rescued)
    : Error(Failure::Io,
            "this was not saved: the file of decisions, or its log (-wal), was deleted, moved, "
            "replaced or emptied",
            {path, 0, 0},
            rescued.empty() ? "put it back before you end the review"
                            : "put it back; or end the review and go on with " + rescued +
                                  ", which has all decisions up to here") {}

class DecisionLog::Impl {
 public:
  Impl(const std::string& path, const Dataset& data)
      : path_(path),
        real_path_(std::filesystem::weakly_canonical(path)),
        names_(data),
        lock_(real_path_, kWho, kUseOne),
        same_file_(real_path_, kWho, kUseOne),
        database_(real_path_, Database::Access::Write, kWhat) {
    database_.run("PRAGMA journal_mode = WAL");
    database_.run(kPatient);
    if (is_blank(database_)) make(data);
    require_log(database_, path);
    database_.run(kAuditSchema);
    content_ = read_checked(database_, data, names_, path);
    file_ = file_at(path_);
    wal_ = file_at(real_path_ + "-wal");
  }

  const DecisionLine& add(DecisionLine line) {
    line.made = utc_now();
    database_.run(kPatient);
    Transaction transaction(database_);
    insert(line);
    line.id = static_cast<std::uint64_t>(database_.last_id());
    if (has_members(line.kind)) insert_members(line);
    if (line.audited) insert_audited(line);
    transaction.commit();
    content_.lines.push_back(std::move(line));
    return content_.lines.back();
  }

  void add(const EstimateLine& estimate) {
    database_.run(kHurried);
    Query query = database_.query("INSERT INTO estimates VALUES(?, ?, ?, ?, ?)");
    query << estimate.line << estimate.decisions << estimate.share << estimate.low << estimate.high;
    query.step();
    content_.estimates.push_back(estimate);
  }

  void add(const AuditClaimLine& claim) {
    database_.run(kHurried);
    Query query = database_.query("INSERT INTO claims VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    query << claim.line << claim.audit << claim.decisions << claim.cells << claim.level
          << claim.share << claim.low << claim.high;
    query.step();
    content_.claims.push_back(claim);
  }

  void require_in_place() {
    std::error_code none;
    const bool emptied = std::filesystem::file_size(path_, none) == 0;
    if (!emptied && file_at(path_) == file_ && (!wal_ || file_at(real_path_ + "-wal") == wal_)) {
      rescued_.clear();
      return;
    }
    if (rescued_.empty()) rescued_ = rescue();
    throw MisplacedDecisions(path_, rescued_);
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
    insert_sample(data);
    transaction.commit();
  }

  // The name of a new file with all that the open one holds; "" if it cannot be written.
  std::string rescue() {
    std::string copy = real_path_ + ".rescued";
    for (int k = 2; file_at(copy); ++k) copy = real_path_ + ".rescued-" + std::to_string(k);
    try {
      Query query = database_.query("VACUUM INTO ?");
      query << copy;
      query.step();
      return copy;
    } catch (const Error&) {
      return {};
    }
  }

  void insert_sample(const Dataset& data) {
    const std::vector<std::size_t> rows = sample_of(data);
    const auto contents = row_fingerprints(data, rows);
    if (!contents) return;
    Query query = database_.query("INSERT INTO sample VALUES(?, ?)");
    for (std::size_t k = 0; k < rows.size(); ++k) {
      query.reset();
      query << row_name(data, rows[k]) << content_text((*contents)[k]);
      query.step();
    }
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

  void insert_audited(const DecisionLine& line) {
    Query query = database_.query("INSERT INTO audited VALUES(?, ?, ?, ?, ?, ?, ?)");
    const DecisionLine::Audited& one = *line.audited;
    query << line.id << one.audit << one.lane << std::uint64_t{one.draw} << std::uint64_t{one.pass}
          << one.probability << one.shown;
    query.step();
  }

  std::string path_, real_path_, rescued_;
  Names names_;
  FileLock lock_;
  SameFileLock same_file_;  // ends after the database
  Database database_;
  std::optional<std::pair<dev_t, ino_t>> file_, wal_;
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

void DecisionLog::require_in_place() {
  impl_->require_in_place();
}

void DecisionLog::add(const AuditClaimLine& claim) {
  impl_->add(claim);
}

void DecisionLog::add(const EstimateLine& estimate) {
  impl_->add(estimate);
}

}  // namespace sieve
