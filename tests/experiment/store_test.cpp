#include "experiment/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "base/sqlite.h"
#include "labelsieve/error.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const PlanInfo kPlan = {"0123456789abcdef", "Small", {"hamming-loss", "one-error"}};

Task task_of(const std::string& method, std::uint64_t seed) {
  Task task{"", "yeast", "fill-10", method, "mlp", "epochs=2", seed, 0.2, 15};
  task.key = task_key(task);
  return task;
}

const std::vector<Task> kTasks = {task_of("a", 1), task_of("a", 2), task_of("b", 1)};

Result result_of(const Task& task, double value) {
  Result result;
  result.task = task;
  result.measures = {{"hamming-loss", value}, {"one-error", value / 3}};
  result.seconds = 1.5;
  result.fit_seconds = 1.25;
  result.peak_bytes = 1 << 20;
  result.train_rows = 80;
  result.test_rows = 20;
  result.features = 10;
  result.labels = 6;
  result.candidates = 4.5;
  result.processor = "Some \"fast\" one, AVX2";
  result.fingerprints = {"d1", "m1"};
  return result;
}

class StoreTest : public ::testing::Test {
 protected:
  std::size_t rows() const {
    Database database(path_, Database::Access::Read);
    Query query = database.query("SELECT count(*) FROM results");
    query.step();
    return query.integer(0);
  }
  TempFolder folder_;
  std::string path_ = folder_ / "store.db";
};

TEST_F(StoreTest, gives_back_what_it_was_given) {
  const double odd = 0.1 + 0.2;
  {
    Store store(path_, kPlan, kTasks);
    store.add(result_of(kTasks[2], odd));
    Result failed = result_of(kTasks[0], 0);
    failed.status = Result::Status::Failed;
    failed.reason = "diverged";
    failed.measures.clear();
    store.add(failed);
    EXPECT_EQ(read_results(path_).results.size(), 2U) << "while it is open";
  }
  const StoredResults stored = read_results(path_);
  EXPECT_EQ(stored.plan.hash, kPlan.hash);
  EXPECT_EQ(stored.plan.title, "Small");
  EXPECT_EQ(stored.plan.measures, kPlan.measures);
  EXPECT_EQ(stored.version, version());
  EXPECT_EQ(stored.tasks, kTasks);
  ASSERT_EQ(stored.results.size(), 2U);
  EXPECT_EQ(stored.results[0].task, kTasks[0]);
  EXPECT_FALSE(stored.results[0].done());
  EXPECT_EQ(stored.results[0].reason, "diverged");
  const Result& done = stored.results[1];
  EXPECT_EQ(done.task, kTasks[2]);
  EXPECT_EQ(done.measure("hamming-loss"), odd);
  EXPECT_EQ(done.measure("one-error"), odd / 3);
  EXPECT_TRUE(std::isnan(done.measure("coverage")));
  EXPECT_EQ(done.seconds, 1.5);
  EXPECT_EQ(done.fit_seconds, 1.25);
  EXPECT_EQ(done.peak_bytes, 1U << 20);
  EXPECT_EQ(done.train_rows, 80U);
  EXPECT_EQ(done.test_rows, 20U);
  EXPECT_EQ(done.features, 10U);
  EXPECT_EQ(done.labels, 6U);
  EXPECT_EQ(done.candidates, 4.5);
  EXPECT_EQ(done.processor, "Some \"fast\" one, AVX2");
  EXPECT_EQ(done.fingerprints, (Fingerprints{"d1", "m1"}));
  EXPECT_EQ(done.plan_hash, kPlan.hash);
  EXPECT_EQ(done.version, version());
  EXPECT_EQ(done.finished.size(), 20U);
}

TEST_F(StoreTest, a_result_of_an_earlier_run_keeps_its_version_and_day) {
  Result known = result_of(kTasks[0], 0.5);
  known.version = "0.1.0";
  known.finished = "2026-01-31T12:00:00Z";
  Store(path_, kPlan, kTasks).add(known);
  const Result back = read_results(path_).results.at(0);
  EXPECT_EQ(back.version, "0.1.0");
  EXPECT_EQ(back.finished, "2026-01-31T12:00:00Z");
}

// Stores of 0.2.0 have format 1: no processor, no fingerprints.
TEST_F(StoreTest, the_first_format_is_read_and_can_be_added_to) {
  Store(path_, kPlan, kTasks).add(result_of(kTasks[0], 0.5));
  {
    Database database(path_, Database::Access::Write);
    for (const char* column : {"processor", "data_fingerprint", "method_fingerprint"})
      database.run(std::string("ALTER TABLE results DROP COLUMN ") + column);
    database.run("ALTER TABLE tasks DROP COLUMN folds");
    database.run("PRAGMA user_version = 1");
  }
  EXPECT_FALSE(read_results(path_).results.at(0).fingerprints.known());
  EXPECT_EQ(read_results(path_).results.at(0).measure("hamming-loss"), 0.5);
  Store(path_, kPlan, kTasks).add(result_of(kTasks[1], 0.25));
  const StoredResults stored = read_results(path_);
  EXPECT_FALSE(stored.results.at(0).fingerprints.known());
  EXPECT_TRUE(stored.results.at(1).fingerprints.known());
}

TEST_F(StoreTest, the_second_format_had_no_folds) {
  Store(path_, kPlan, kTasks).add(result_of(kTasks[0], 0.5));
  {
    Database database(path_, Database::Access::Write);
    database.run("ALTER TABLE tasks DROP COLUMN folds");
    database.run("PRAGMA user_version = 2");
  }
  EXPECT_EQ(read_results(path_).tasks, kTasks);
  Store(path_, kPlan, kTasks).add(result_of(kTasks[1], 0.25));
  EXPECT_EQ(read_results(path_).results.size(), 2U);
}

TEST_F(StoreTest, keeps_folds) {
  std::vector<Task> tasks = kTasks;
  for (Task& task : tasks) task.folds = 10;
  Store(path_, kPlan, tasks).add(result_of(tasks[0], 0.5));
  EXPECT_EQ(read_results(path_).tasks, tasks);
}

TEST_F(StoreTest, what_is_not_a_number_comes_back_as_such) {
  Store(path_, kPlan, kTasks).add(result_of(kTasks[0], std::numeric_limits<double>::quiet_NaN()));
  const StoredResults stored = read_results(path_);
  ASSERT_EQ(stored.results[0].measures.size(), 2U);
  EXPECT_TRUE(std::isnan(stored.results[0].measure("hamming-loss")));
}

TEST_F(StoreTest, the_last_attempt_counts_and_the_first_is_kept) {
  Result failed = result_of(kTasks[0], 0);
  failed.status = Result::Status::Failed;
  Store(path_, kPlan, kTasks).add(failed);
  Store(path_, kPlan, kTasks).add(result_of(kTasks[0], 0.5));
  const StoredResults stored = read_results(path_);
  ASSERT_EQ(stored.results.size(), 1U);
  EXPECT_TRUE(stored.results[0].done());
  EXPECT_EQ(rows(), 2U);
}

// The writer leaves without closing anything, as after a kill.
TEST_F(StoreTest, what_was_added_outlives_its_process) {
  const pid_t child = ::fork();
  if (child == 0) {
    Store store(path_, kPlan, kTasks);
    store.add(result_of(kTasks[0], 0.25));
    store.add(result_of(kTasks[1], 0.75));
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(read_results(path_).results.size(), 2U);
  Store(path_, kPlan, kTasks).add(result_of(kTasks[2], 0.5));
  EXPECT_EQ(read_results(path_).results.size(), 3U);
}

// Whoever closes a store last takes its log away, and must not take it from a writer.
TEST_F(StoreTest, others_that_open_and_close_it_do_not_cost_results) {
  {
    Store store(path_, kPlan, kTasks);
    store.add(result_of(kTasks[0], 0.25));
    EXPECT_EQ(store.stored().results.size(), 1U);
    const pid_t child = ::fork();
    if (child == 0) {
      {
        Database other(path_, Database::Access::Write);
        Query query = other.query("SELECT count(*) FROM results");
        query.step();
      }
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    store.add(result_of(kTasks[1], 0.75));
  }
  EXPECT_EQ(read_results(path_).results.size(), 2U);
}

// A crash of the machine may leave any beginning of the log.
TEST_F(StoreTest, a_torn_log_costs_only_the_last_results) {
  const std::string torn = folder_ / "torn.db";
  {
    Store store(path_, kPlan, kTasks);
    store.add(result_of(kTasks[0], 0.25));
    store.add(result_of(kTasks[1], 0.75));
    write_file(torn, read_file(path_));
    write_file(torn + "-wal", read_file(path_ + "-wal"));
  }
  const std::string log = read_file(torn + "-wal");
  std::size_t before = 3;
  for (std::size_t size = log.size(); size > log.size() / 2; size -= 1000) {
    write_file(torn + "-wal", log.substr(0, size));
    const std::size_t found = read_results(torn).results.size();
    EXPECT_LE(found, before);
    before = found;
    for (const char* end : {"-shm"}) ::unlink((torn + end).c_str());
  }
  EXPECT_LT(before, 2U);
}

TEST_F(StoreTest, a_second_writer_is_refused_with_the_process_that_writes) {
  const Store first(path_, kPlan, kTasks);
  const pid_t child = ::fork();  // locks are between processes
  if (child == 0) {
    int code = 0;
    const std::string message = refusal([&] { Store(path_, kPlan, kTasks); }, &code);
    const bool clear = message.find("another experiment (process " + std::to_string(::getppid())) !=
                       std::string::npos;
    ::_exit(clear ? code : 100);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST_F(StoreTest, another_plan_is_refused_unless_it_may_extend) {
  Store(path_, kPlan, kTasks).add(result_of(kTasks[0], 0.5));
  const PlanInfo other = {"fedcba9876543210", "Other", {"one-error"}};
  const std::vector<Task> more = {kTasks[0], task_of("c", 1)};
  int code = 0;
  EXPECT_THAT(refusal([&] { Store(path_, other, more); }, &code),
              ::testing::AllOf(HasSubstr("another plan (Small"), HasSubstr("if_other=extend")));
  EXPECT_EQ(code, 3);
  Store(path_, other, more, IfOther::Extend);
  const StoredResults stored = read_results(path_);
  EXPECT_EQ(stored.plan.title, "Other");
  EXPECT_THAT(stored.tasks, ElementsAre(kTasks[0], kTasks[1], kTasks[2], more[1]));
  EXPECT_EQ(stored.results.size(), 1U);

  Task changed = kTasks[0];
  changed.options = "epochs=3";
  EXPECT_THAT(refusal([&] { Store(path_, kPlan, {changed}, IfOther::Extend); }),
              HasSubstr("yeast/fill-10/a/seed-1 with other settings"));
}

TEST_F(StoreTest, the_store_of_another_version_is_taken_over_and_another_format_refused) {
  { const Store store(path_, kPlan, kTasks); }
  Database(path_, Database::Access::Write).run("UPDATE plans SET version = '0.0.1'");
  EXPECT_EQ(read_results(path_).version, "0.0.1");
  { const Store store(path_, kPlan, kTasks); }
  EXPECT_EQ(read_results(path_).version, version());
  Database(path_, Database::Access::Write).run("PRAGMA user_version = 9");
  int code = 0;
  EXPECT_THAT(refusal([&] { Store(path_, kPlan, kTasks); }, &code), HasSubstr("format 9"));
  EXPECT_EQ(code, 3);
  EXPECT_THAT(refusal([&] { read_results(path_); }), HasSubstr("format 9"));
}

TEST_F(StoreTest, what_is_no_store_is_refused_and_left_alone) {
  for (const std::string& content :
       {std::string("hello, this is a text file\n"), std::string(200, 'x')}) {
    write_file(path_, content);
    int code = 0;
    EXPECT_THAT(refusal([&] { read_results(path_); }, &code), HasSubstr("not a result store"));
    EXPECT_EQ(code, 3);
    EXPECT_THAT(refusal([&] { Store(path_, kPlan, kTasks); }, &code), HasSubstr("store.db"));
    EXPECT_EQ(code, 3);
    EXPECT_EQ(read_file(path_), content);
  }
  const std::string other = folder_ / "other.db";
  Database(other, Database::Access::Write).run("CREATE TABLE mine(x)");
  EXPECT_THAT(refusal([&] { Store(other, kPlan, kTasks); }), HasSubstr("not a result store"));
}

TEST_F(StoreTest, views_and_triggers_are_refused_before_they_run) {
  const std::string endless =
      "DROP TABLE measures; CREATE VIEW measures AS WITH RECURSIVE n(i) AS "
      "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS result_id, '' AS name, 0 AS value FROM "
      "n";
  const std::string trigger =
      "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM measures; END";
  for (const std::string& trap : {endless, trigger}) {
    const std::string path = folder_ / std::to_string(trap.size());
    { const Store store(path, kPlan, kTasks); }
    Database(path, Database::Access::Write).run(trap);
    int code = 0;
    EXPECT_THAT(refusal([&] { read_results(path); }, &code), HasSubstr("more than tables"));
    EXPECT_EQ(code, 3);
    EXPECT_THAT(refusal([&] { Store(path, kPlan, kTasks); }), HasSubstr("more than tables"));
  }
}

TEST_F(StoreTest, a_blank_file_is_a_store_that_was_killed_at_birth) {
  write_file(path_, "");
  EXPECT_TRUE(read_results(path_).tasks.empty());
  Store(path_, kPlan, kTasks).add(result_of(kTasks[0], 0.5));
  EXPECT_EQ(read_results(path_).results.size(), 1U);
}

// A link that SQLite will not follow stands in for a place that cannot be written.
TEST_F(StoreTest, where_nothing_can_be_written_it_is_read_under_any_name) {
  for (const char* name : {"plain.db", "odd?mode=rw#100%41.db"}) {
    const std::string path = folder_ / name;
    Store(path, kPlan, kTasks).add(result_of(kTasks[0], 0.5));
    ASSERT_EQ(::symlink("nowhere", (path + "-shm").c_str()), 0);
    EXPECT_EQ(read_results(path).results.size(), 1U);
    write_file(path + "-wal", "");
    EXPECT_EQ(read_results(path).results.size(), 1U) << "an empty log is none";
  }
}

TEST_F(StoreTest, a_place_that_can_not_be_written_is_named) {
  for (const std::string& place : {folder_ / "no/store.db", std::string("/proc/store.db")}) {
    int code = 0;
    EXPECT_THAT(refusal([&] { Store(place, kPlan, kTasks); }, &code), HasSubstr(place));
    EXPECT_EQ(code, 5);
  }
  int code = 0;
  EXPECT_THAT(refusal([&] { read_results(folder_ / "none.db"); }, &code),
              HasSubstr("none.db: cannot open: no such file"));
  EXPECT_EQ(code, 5);
}

// What a process without any rights of root says: the number of results, or the failure's number
// and 100.
int results_read_by_nobody(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr unsigned kNobody = 65534;
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(99);
    try {
      ::_exit(static_cast<int>(read_results(path).results.size()));
    } catch (const Error& error) {
      ::_exit(100 + error.exit_code());
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(StoreTest, anyone_who_may_read_the_file_can_read_the_store) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a store that others may read alone";
  std::filesystem::permissions(folder_.path(), std::filesystem::perms{0755});
  {
    Store store(path_, kPlan, kTasks, IfOther::Refuse);
    store.add(result_of(kTasks[0], 0.5));
    EXPECT_EQ(results_read_by_nobody(path_), 1);  // while it is written
    // What a kill leaves: a log that is not in the file yet, beside its index or without.
    for (const char* end : {"", "-wal", "-shm"})
      std::filesystem::copy_file(path_ + end, folder_ / ("killed.db" + std::string(end)));
  }
  EXPECT_EQ(results_read_by_nobody(path_), 1);
  EXPECT_EQ(results_read_by_nobody(folder_ / "killed.db"), 1);
  std::filesystem::remove(folder_ / "killed.db-shm");
  EXPECT_EQ(results_read_by_nobody(folder_ / "killed.db"), 1);
  // What a reader with rights leaves: an empty log and its index.
  write_file(path_ + "-wal", "");
  write_file(path_ + "-shm", std::string(32768, '\0'));
  EXPECT_EQ(results_read_by_nobody(path_), 1);
  // And where only one of the two is left, or may be read.
  std::filesystem::remove(path_ + "-wal");
  EXPECT_EQ(results_read_by_nobody(path_), 1);
  write_file(folder_ / "killed.db-shm", "");
  std::filesystem::permissions(folder_ / "killed.db-shm", std::filesystem::perms{0600});
  EXPECT_EQ(results_read_by_nobody(folder_ / "killed.db"), 1);
  std::filesystem::permissions(folder_ / "killed.db-wal", std::filesystem::perms{0600});
  EXPECT_EQ(results_read_by_nobody(folder_ / "killed.db"), 105);
}

}  // namespace
}  // namespace sieve::test
