#include "experiment/store.h"

#include <map>
#include <optional>

#include "base/file_lock.h"
#include "base/format_text.h"
#include "base/sqlite.h"
#include "experiment/results_file.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::uint64_t kApplication = 0x53494556, kFormat = 3;

constexpr const char* kSchema = R"(
  CREATE TABLE plans(hash TEXT NOT NULL, title TEXT NOT NULL, measures TEXT NOT NULL,
    version TEXT NOT NULL, added TEXT NOT NULL);
  CREATE TABLE tasks(key TEXT PRIMARY KEY, data_set TEXT NOT NULL, noise TEXT NOT NULL,
    method TEXT NOT NULL, learner TEXT NOT NULL, options TEXT NOT NULL, seed INTEGER NOT NULL,
    test_share REAL NOT NULL, keep_labels INTEGER NOT NULL,
    folds INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE results(id INTEGER PRIMARY KEY, task_key TEXT NOT NULL REFERENCES tasks(key),
    plan_hash TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, seconds REAL NOT NULL,
    fit_seconds REAL NOT NULL, peak_bytes INTEGER NOT NULL, train_rows INTEGER NOT NULL,
    test_rows INTEGER NOT NULL, features INTEGER NOT NULL, labels INTEGER NOT NULL,
    candidates REAL, version TEXT NOT NULL, finished TEXT NOT NULL,
    processor TEXT NOT NULL DEFAULT '', data_fingerprint TEXT NOT NULL DEFAULT '',
    method_fingerprint TEXT NOT NULL DEFAULT '');
  CREATE TABLE measures(result_id INTEGER NOT NULL REFERENCES results(id), name TEXT NOT NULL,
    value REAL, PRIMARY KEY(result_id, name)) WITHOUT ROWID;
)";

// What format 2 has and format 1 had not.
constexpr const char* kFromFormat1 = R"(
  ALTER TABLE results ADD COLUMN processor TEXT NOT NULL DEFAULT '';
  ALTER TABLE results ADD COLUMN data_fingerprint TEXT NOT NULL DEFAULT '';
  ALTER TABLE results ADD COLUMN method_fingerprint TEXT NOT NULL DEFAULT '';
)";
// What format 3 has and format 2 had not.
constexpr const char* kFromFormat2 =
    "ALTER TABLE tasks ADD COLUMN folds INTEGER NOT NULL DEFAULT 0";

std::uint64_t pragma(Database& database, const std::string& name) {
  Query query = database.query("PRAGMA " + name);
  return query.step() ? query.integer(0) : 0;
}

// Whether nothing was ever written: the first writer may have been killed before its first word.
bool is_blank(Database& database) {
  return !database.query("SELECT 1 FROM sqlite_master LIMIT 1").step();
}

void require_store(Database& database, const std::string& path) {
  if (pragma(database, "application_id") != kApplication)
    throw Error(Failure::Data, "this is not a result store", {path, 0, 0},
                "give the store that " + term("run_experiment") + " wrote");
  const std::uint64_t format = pragma(database, "user_version");
  if (format < 1 || format > kFormat)
    throw Error(Failure::Data,
                "the store has format " + std::to_string(format) +
                    ", and this version of sieve knows formats up to " + std::to_string(kFormat),
                {path, 0, 0}, "use the version of sieve that made it, or a new store");
  // A view in the place of a table could run for ever.
  if (database.query("SELECT 1 FROM sqlite_master WHERE sql NOT LIKE 'CREATE TABLE %'").step())
    throw Error(Failure::Data, "the store holds more than tables", {path, 0, 0},
                "drop its views, triggers and indexes if you trust it: sieve made none");
}

// The last plan, its version, and no more.
std::optional<StoredResults> last_plan(Database& database) {
  Query query = database.query(
      "SELECT hash, title, measures, version FROM plans ORDER BY rowid DESC LIMIT 1");
  if (!query.step()) return std::nullopt;
  StoredResults last;
  last.plan = {query.text(0), query.text(1), cut_at_commas(query.text(2))};
  last.version = query.text(3);
  return last;
}

std::vector<Task> read_tasks(Database& database) {
  const bool folds_known = pragma(database, "user_version") >= 3;
  Query query = database.query(
      "SELECT key, data_set, noise, method, learner, options, seed, test_share, keep_labels, " +
      std::string(folds_known ? "folds" : "0") + " FROM tasks ORDER BY rowid");
  std::vector<Task> tasks;
  while (query.step())
    tasks.push_back({query.text(0), query.text(1), query.text(2), query.text(3), query.text(4),
                     query.text(5), query.integer(6), query.real(7), query.integer(8),
                     query.integer(9)});
  return tasks;
}

using Measures = std::vector<std::pair<std::string, double>>;

std::map<std::uint64_t, Measures> read_measures(Database& database) {
  Query query = database.query("SELECT result_id, name, value FROM measures");
  std::map<std::uint64_t, Measures> found;
  while (query.step()) found[query.integer(0)].emplace_back(query.text(1), query.real(2));
  return found;
}

std::vector<Result> read_last_results(Database& database, const std::vector<Task>& tasks) {
  std::map<std::string, Result> last;
  std::map<std::uint64_t, Measures> measures = read_measures(database);
  const bool first_format = pragma(database, "user_version") == 1;
  Query query = database.query(
      "SELECT id, task_key, plan_hash, status, reason, seconds, fit_seconds, peak_bytes, "
      "train_rows, test_rows, features, labels, candidates, version, finished, " +
      std::string(first_format ? "'', '', ''" : "processor, data_fingerprint, method_fingerprint") +
      " FROM results ORDER BY id");
  while (query.step()) {
    Result& result = last[query.text(1)];
    result = {.task = {},
              .plan_hash = query.text(2),
              .status = query.text(3) == "done" ? Result::Status::Done : Result::Status::Failed,
              .reason = query.text(4),
              .measures = std::move(measures[query.integer(0)]),
              .seconds = query.real(5),
              .fit_seconds = query.real(6),
              .peak_bytes = query.integer(7),
              .train_rows = query.integer(8),
              .test_rows = query.integer(9),
              .features = query.integer(10),
              .labels = query.integer(11),
              .candidates = query.real(12),
              .processor = query.text(15),
              .version = query.text(13),
              .finished = query.text(14),
              .fingerprints = {query.text(16), query.text(17)},
              .id = query.integer(0)};
  }
  std::vector<Result> results;
  for (const Task& task : tasks)
    if (const auto found = last.find(task.key); found != last.end()) {
      found->second.task = task;
      results.push_back(std::move(found->second));
    }
  return results;
}

StoredResults read_all(Database& database) {
  StoredResults stored = last_plan(database).value_or(StoredResults{});
  stored.tasks = read_tasks(database);
  stored.results = read_last_results(database, stored.tasks);
  return stored;
}

}  // namespace

StoredResults read_results(const std::string& path) {
  if (is_results_file(path)) return read_results_file(path);
  Database database(path, Database::Access::Read);
  database.run("BEGIN");  // everything as of one moment
  if (is_blank(database)) return {};
  require_store(database, path);
  return read_all(database);
}

void require_same_plan(const StoredResults& stored, const PlanInfo& plan, const std::string& path) {
  if (stored.plan.hash == plan.hash) return;
  throw Error(Failure::Data,
              "the store was made by another plan (" + stored.plan.title + ", " + stored.plan.hash +
                  "; this one is " + plan.hash + ")",
              {path, 0, 0},
              "give another " + term("store") + ", or let this one take the tasks of both by " +
                  term("if_other", "extend"));
}

class Store::Impl {
 public:
  explicit Impl(const std::string& path)
      : path_(path),
        lock_(path, "experiment", "wait for its end, or give another " + term("store")),
        database_(path, Database::Access::Write) {
    database_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    if (!is_blank(database_)) {
      require_store(database_, path);
      bring_up_to_date();
      return;
    }
    Transaction transaction(database_);
    database_.run("PRAGMA application_id = " + std::to_string(kApplication) +
                  "; PRAGMA user_version = " + std::to_string(kFormat));
    database_.run(kSchema);
    transaction.commit();
  }

  void adopt(const PlanInfo& plan, const std::vector<Task>& tasks, IfOther if_other) {
    const auto last = last_plan(database_);
    if (last && last->plan.hash == plan.hash && last->version == version()) return;
    if (last && if_other == IfOther::Refuse) require_same_plan(*last, plan, path_);
    const std::vector<Task> known = read_tasks(database_);
    refuse_changed(known, tasks);
    Transaction transaction(database_);
    Query added = database_.query("INSERT INTO plans VALUES(?, ?, ?, ?, ?)");
    std::string measures;
    for (const std::string& name : plan.measures) measures += (measures.empty() ? "" : ",") + name;
    added << plan.hash << plan.title << measures << std::string(version()) << utc_now();
    added.step();
    for (const Task& task : tasks) add_task(task);
    transaction.commit();
  }

  void add(const Result& result) {
    Transaction transaction(database_);
    Query row = database_.query(
        "INSERT INTO results(task_key, plan_hash, status, reason, seconds, fit_seconds, "
        "peak_bytes, train_rows, test_rows, features, labels, candidates, version, finished, "
        "processor, data_fingerprint, method_fingerprint) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    row << result.task.key << result.plan_hash << std::string(result.done() ? "done" : "failed")
        << result.reason << result.seconds << result.fit_seconds << result.peak_bytes
        << result.train_rows << result.test_rows << result.features << result.labels
        << result.candidates << result.version << result.finished << result.processor
        << result.fingerprints.data << result.fingerprints.method;
    row.step();
    const auto id = static_cast<std::uint64_t>(database_.last_id());
    for (const auto& [name, value] : result.measures) {
      Query measure = database_.query("INSERT INTO measures VALUES(?, ?, ?)");
      measure << id << name << value;
      measure.step();
    }
    transaction.commit();
  }

  StoredResults stored() { return read_all(database_); }

  std::string plan_hash;

 private:
  void bring_up_to_date() {
    const std::uint64_t format = pragma(database_, "user_version");
    if (format == kFormat) return;
    Transaction transaction(database_);
    if (format < 2) database_.run(kFromFormat1);
    database_.run(kFromFormat2);
    database_.run("PRAGMA user_version = " + std::to_string(kFormat));
    transaction.commit();
  }

  void refuse_changed(const std::vector<Task>& known, const std::vector<Task>& wanted) const {
    std::map<std::string, const Task*> by_key;
    for (const Task& task : known) by_key[task.key] = &task;
    for (const Task& task : wanted)
      if (const auto found = by_key.find(task.key); found != by_key.end() && *found->second != task)
        throw Error(Failure::Data,
                    "the store has the task " + task.key + " with other settings than the plan",
                    {path_, 0, 0},
                    "give the method another name in the plan, or another " + term("store"));
  }

  void add_task(const Task& task) {
    Query row = database_.query("INSERT OR IGNORE INTO tasks VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    row << task.key << task.data_set << task.noise << task.method << task.learner << task.options
        << task.seed << task.test_share << std::uint64_t{task.keep_labels}
        << std::uint64_t{task.folds};
    row.step();
  }

  std::string path_;
  FileLock lock_;
  Database database_;
};

Store::Store(const std::string& path, const PlanInfo& plan, const std::vector<Task>& tasks,
             IfOther if_other)
    : impl_(std::make_unique<Impl>(path)) {
  impl_->adopt(plan, tasks, if_other);
  impl_->plan_hash = plan.hash;
}

Store::~Store() = default;

StoredResults Store::stored() const {
  return impl_->stored();
}

void Store::add(Result result) {
  result.plan_hash = impl_->plan_hash;
  if (result.version.empty()) {
    result.version = version();
    result.finished = utc_now();
  }
  impl_->add(result);
}

}  // namespace sieve
