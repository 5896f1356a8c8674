#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <set>

#include "base/random.h"
#include "base/sqlite.h"
#include "cli.h"
#include "experiment/store.h"
#include "labelsieve/error.h"
#include "labelsieve/files.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

// Two made-up sets and trainings that take no time.
class Experiment : public Cli {
 protected:
  Experiment() {
    mkdir((folder_ / "sets").c_str(), 0777);
    for (const char* seed : {"1", "2"})
      sieve({"synth", "--rows", "80", "--features", "8", "--labels", "5", "--seed", seed, "--out",
             std::string("sets/crowd") + seed + ".arff"});
    write("plan.toml", plan(3));
  }

  static std::string plan(int repeats, const std::string& more = {}) {
    const std::string quick = "set = { epochs = 1, members = 1, depth = 1, width = 8 }\n";
    return "title = \"Tiny\"\nrepeats = " + std::to_string(repeats) + "\n" +
           "[[data]]\nname = \"one\"\nfolder = \"crowd1.arff\"\n"
           "[[data]]\nname = \"two\"\nfolder = \"crowd2.arff\"\nnoise = \"fill\"\nlevels = [3]\n" +
           more + "[[method]]\nname = \"mlp\"\n" + quick + "[[method]]\nname = \"mlp-noise\"\n" +
           quick;
  }
  static std::vector<std::string> words(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"experiment", "plan.toml", "--data", "sets", "--store",
                                    "store.db",   "--quiet",   "--jobs", "2"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Ran run(const std::vector<std::string>& more = {}) const { return sieve(words(more)); }

  RunningProgram start() const {
    std::vector<std::string> all = words();
    all.insert(all.begin(), sieve_command());
    return {all, folder_.path()};
  }

  std::vector<Result> results(const std::string& store = "store.db") const {
    return read_results(folder_ / store).results;
  }
  // Rows of the store; 0 as long as there is none.
  std::size_t attempts() const {
    if (plan_title().empty()) return 0;
    Database database(folder_ / "store.db", Database::Access::Read);
    Query query = database.query("SELECT count(*) FROM results");
    query.step();
    return query.integer(0);
  }
  std::string plan_title() const {
    return stored() ? read_results(folder_ / "store.db").plan.title : "";
  }
  bool stored() const { return FileSystem::real().exists(folder_ / "store.db"); }

  // A training that does not end by itself.
  void write_endless_plan() const {
    write("plan.toml",
          "repeats = 4\n[[data]]\nname = \"one\"\nfolder = \"crowd1.arff\"\n[[method]]\n"
          "name = \"mlp\"\nset = { epochs = 100000, patience = 100000, members = 1, depth = 1 }\n");
  }
  // A set of one row, on which every task fails.
  void write_broken_set() const {
    write("sets/lone.csv", "f1,f2,label:sun,label:sea\n0.5,1,1,0\n");
    write("plan.toml", plan(2,
                            "[[data]]\nname = \"lone\"\nfolder = \"lone.csv\"\n"
                            "labels-are = \"truth\"\n"));
  }
};

void expect_same_measures(const std::vector<Result>& a, const std::vector<Result>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].task, b[i].task);
    ASSERT_EQ(a[i].measures.size(), b[i].measures.size());
    for (std::size_t m = 0; m < a[i].measures.size(); ++m) {
      EXPECT_EQ(a[i].measures[m].first, b[i].measures[m].first);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i].measures[m].second),
                std::bit_cast<std::uint64_t>(b[i].measures[m].second))
          << a[i].task.key << " " << a[i].measures[m].first;
    }
  }
}

TEST_F(Experiment, runs_all_tasks_once) {
  const Ran ran = run();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("12 tasks done and 0 failed"));
  EXPECT_EQ(results().size(), 12U);
  const Ran again = run();
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.out, HasSubstr("0 tasks done"));
  EXPECT_THAT(again.out, HasSubstr("12 tasks were done before"));
  EXPECT_EQ(attempts(), 12U);
}

TEST_F(Experiment, after_20_kills_at_random_moments_the_store_is_that_of_an_uninterrupted_run) {
  write("plan.toml", plan(60));
  Random random(7, Purpose::Test);
  std::size_t kills = 0;
  for (int round = 0; round < 20; ++round) {
    RunningProgram program = start();
    const std::size_t seen = attempts();
    const std::size_t more = random.below(3);  // results to let it have, then some moments
    std::size_t moments = random.below(10);
    const bool alive =
        program.wait_until([&] { return attempts() >= seen + more && moments-- == 0; });
    if (!alive) break;  // it was done before its turn came
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait(), 128 + SIGKILL);
    ++kills;
  }
  EXPECT_EQ(kills, 20U);
  const Ran last = run();
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(attempts(), 240U) << "finished tasks are never repeated";
  const std::vector<Result> killed = results();

  const Ran whole = sieve({"experiment", "plan.toml", "--data", "sets", "--store", "whole.db"});
  EXPECT_EQ(whole.code, 0) << whole.err;
  expect_same_measures(killed, results("whole.db"));
}

TEST_F(Experiment, an_interrupt_exits_with_7_and_what_is_done_stays) {
  write_endless_plan();
  RunningProgram program = start();
  ASSERT_TRUE(program.wait_until([&] { return plan_title() == "plan.toml"; }));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait(), 7);
}

TEST_F(Experiment, a_second_process_on_one_store_is_refused) {
  write_endless_plan();
  RunningProgram program = start();
  ASSERT_TRUE(program.wait_until([&] { return plan_title() == "plan.toml"; }));
  const Ran second = run();
  EXPECT_EQ(second.code, 5);
  EXPECT_THAT(second.err, HasSubstr("another experiment (process "));
  EXPECT_THAT(second.err, HasSubstr("--store"));
}

TEST_F(Experiment, a_failed_task_is_recorded_and_does_not_stop_the_rest) {
  write_broken_set();
  const Ran ran = run();
  EXPECT_EQ(ran.code, 6);
  EXPECT_THAT(ran.out, HasSubstr("8 tasks done and 4 failed"));
  EXPECT_THAT(ran.err, HasSubstr("lone/given/mlp/seed-1 failed: "));
  EXPECT_EQ(results().size(), 12U);

  const Ran again = run();
  EXPECT_EQ(again.code, 6) << "a failure is not forgotten";
  EXPECT_THAT(again.out, HasSubstr("4 tasks failed before (--retry-failed"));
  EXPECT_EQ(attempts(), 12U);

  write("sets/lone.csv",
        "f1,f2,label:sun,label:sea\n0.5,1,1,0\n1,2,0,1\n3,1,1,0\n2,2,0,1\n1,1,1,0\n4,2,0,1\n");
  const Ran retried = run({"--retry-failed"});
  EXPECT_EQ(retried.code, 0) << retried.err;
  EXPECT_THAT(retried.out, HasSubstr("4 tasks done and 0 failed"));
  EXPECT_EQ(attempts(), 16U) << "the failures stay on record";
}

TEST_F(Experiment, labels_that_nobody_calls_right_are_no_truth) {
  write("sets/lone.csv", "f1,f2,sun,sea\n0.5,1,1,0\n1,2,0,1\n3,1,1,0\n2,2,0,1\n1,1,1,0\n");
  const std::string lone = "[[data]]\nname = \"lone\"\nfolder = \"lone.csv\"\nlabel-count = -2\n";
  write("plan.toml", plan(2, lone));
  const Ran refused = run();
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("has one set of labels, and nothing says whether they are "));
  write("plan.toml", plan(2, lone + "labels-are = \"truth\"\n"));
  const Ran ran = run({"--dry-run"});
  EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(Experiment, something_of_every_method_comes_first) {
  std::vector<std::string> one_at_a_time = words({"--limit", "12"});
  std::ranges::replace(one_at_a_time, "2", "1");  // --jobs: they end in the order they begin in
  EXPECT_EQ(sieve(one_at_a_time).code, 0);
  Database database(folder_ / "store.db", Database::Access::Read);
  Query query = database.query(
      "SELECT count(DISTINCT method) FROM tasks WHERE key IN "
      "(SELECT task_key FROM results ORDER BY id LIMIT 2)");
  query.step();
  EXPECT_EQ(query.integer(0), 2U);
}

TEST_F(Experiment, only_and_limit_choose_and_nothing_is_left_out_without_a_word) {
  const Ran few = run({"--only", "two,mlp", "--limit", "2"});
  EXPECT_EQ(few.code, 0) << few.err;
  EXPECT_THAT(few.out, HasSubstr("2 tasks done"));
  EXPECT_THAT(few.out, HasSubstr("1 tasks are left for later by --limit"));
  for (const Result& result : results()) EXPECT_EQ(result.task.method, "mlp");
  const Ran wrong = run({"--only", "tow"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'two'?"));
  EXPECT_EQ(run().code, 0);
  EXPECT_EQ(attempts(), 12U);
}

TEST_F(Experiment, a_dry_run_lists_tasks_and_time_and_writes_nothing) {
  const Ran ran = run({"--dry-run"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("one/given/mlp/seed-1"));
  EXPECT_THAT(ran.out, HasSubstr("12 tasks to do, about "));
  EXPECT_FALSE(stored());
}

TEST_F(Experiment, a_missing_set_is_listed_with_where_to_get_it_or_refused) {
  write("plan.toml", plan(1, "[[data]]\nname = \"far\"\nget = \"the moon: ARFF\"\n"));
  const Ran ran = run();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("4 tasks done"));
  EXPECT_THAT(ran.out, HasSubstr("2 tasks have no data:"));
  EXPECT_THAT(ran.out, HasSubstr("far: not in the data folder. the moon: ARFF"));

  write("plan.toml", plan(1, "[[data]]\nname = \"crowd1.arf\"\n"));
  const Ran typo = sieve({"experiment", "plan.toml", "--data", "sets", "--store", "other.db"});
  EXPECT_EQ(typo.code, 2);
  EXPECT_THAT(typo.err, HasSubstr("plan.toml:12"));
  EXPECT_THAT(typo.err, HasSubstr("did you mean 'crowd1.arff'?"));
  EXPECT_FALSE(FileSystem::real().exists(folder_ / "other.db"));
}

TEST_F(Experiment, a_set_without_truth_is_refused) {
  write("sets/blind.csv", "f1,candidate:sun,candidate:sea\n1,1,0\n2,0,1\n3,1,1\n");
  write("plan.toml", plan(1, "[[data]]\nname = \"blind\"\nfolder = \"blind.csv\"\n"));
  const Ran ran = run();
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("'blind' has candidates only"));
  EXPECT_FALSE(stored());
}

TEST_F(Experiment, another_plan_is_refused_and_extend_adds_to_a_store) {
  ASSERT_EQ(run().code, 0);
  write("plan.toml", plan(4));
  const Ran other = run();
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("another plan (Tiny"));
  EXPECT_THAT(run({"--dry-run"}).err, HasSubstr("another plan (Tiny"));
  const Ran extended = run({"--extend"});
  EXPECT_EQ(extended.code, 0) << extended.err;
  EXPECT_THAT(extended.out, HasSubstr("4 tasks done"));
  EXPECT_EQ(attempts(), 16U);
}

TEST_F(Experiment, a_set_of_another_shape_is_run_again_and_never_shares_a_table_with_the_old_one) {
  ASSERT_EQ(run().code, 0);
  sieve({"synth", "--rows", "90", "--features", "8", "--labels", "5", "--out", "sets/crowd1.arff",
         "--force"});
  const Ran one = run({"--only", "one,mlp,seed-1"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("1 earlier results no longer hold"));
  EXPECT_THAT(one.out, HasSubstr("'one' was 80 x 8 x 5 at earlier results, and is 90 x 8 x 5"));
  const Ran compared = sieve({"compare", "store.db"});
  EXPECT_THAT(compared.out, HasSubstr("left out: 5 results on other data of the same name"));
  EXPECT_THAT(compared.out, HasSubstr("not complete: one/given/mlp: 1 of 3 tasks"));
  const Ran rest = run();
  EXPECT_THAT(rest.out, HasSubstr("5 tasks done and 0 failed"));
  EXPECT_THAT(rest.out, HasSubstr("7 tasks were done before"));
  EXPECT_THAT(sieve({"compare", "store.db"}).out, ::testing::Not(HasSubstr("left out")));
  for (const Result& result : results())
    if (result.task.data_set == "one") EXPECT_EQ(result.train_rows + result.test_rows, 90U);
}

// The part that is done comes from a machine with another processor, on which one method gives
// other figures.
TEST_F(Experiment, an_interrupted_study_goes_on_on_another_machine) {
  ASSERT_EQ(run({"--limit", "7"}).code, 0);
  std::size_t differing = 0;
  for (const Result& result : results()) differing += result.task.method == "mlp-noise" ? 1 : 0;
  ASSERT_GT(differing, 0U);
  Database(folder_ / "store.db", Database::Access::Write)
      .run(
          "UPDATE results SET processor = 'Another, AVX2'; UPDATE results SET "
          "method_fingerprint = 'elsewhere' WHERE task_key LIKE '%/mlp-noise/%'");
  const Ran rest = run();
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_THAT(rest.out, HasSubstr(std::to_string(7 - differing) + " tasks were done before"));
  EXPECT_THAT(rest.out, HasSubstr(std::to_string(differing) + " earlier results no longer hold"));
  std::set<std::string> fingerprints;
  for (const Result& result : results())
    if (result.task.method == "mlp-noise")
      fingerprints.insert(result.task.noise + result.fingerprints.method);
  EXPECT_EQ(fingerprints.size(), 2U) << "one for each kind of noise";
  const Ran compared = sieve({"compare", "store.db"});
  EXPECT_THAT(compared.out, HasSubstr("Another, AVX2"));
  EXPECT_THAT(compared.out, HasSubstr("12 of 12 tasks done"));
}

TEST_F(Experiment, a_store_of_an_older_version_goes_on_and_no_column_mixes_versions) {
  ASSERT_EQ(run({"--limit", "6"}).code, 0);
  ASSERT_EQ(run().code, 0);
  // Six results of an older version, three of which do not say what they depended on.
  Database(folder_ / "store.db", Database::Access::Write)
      .run(
          "UPDATE plans SET version = '0.0.9'; UPDATE results SET version = '0.0.9' WHERE id <= 6;"
          "UPDATE results SET data_fingerprint = '', method_fingerprint = '' WHERE id <= 3");
  const Ran mixed = sieve({"compare", "store.db", "--only", "mlp"});
  EXPECT_THAT(mixed.out + mixed.err, HasSubstr("not complete"));
  const Ran csv = sieve({"compare", "store.db", "--to", "results"});
  EXPECT_THAT(csv.out, ::testing::Not(HasSubstr(",0.0.9,")));
  EXPECT_THAT(csv.err, HasSubstr("left out: 6 results of an older version"));

  const Ran rest = run();
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_THAT(rest.out, HasSubstr("3 tasks done and 0 failed"));
  EXPECT_THAT(rest.out, HasSubstr("6 tasks were done before"));
  EXPECT_THAT(rest.out, HasSubstr("3 results were taken over: they still hold"));
  EXPECT_THAT(rest.out, HasSubstr("3 earlier results no longer hold"));
  for (const Result& result : results()) EXPECT_EQ(result.version, version());
  EXPECT_THAT(sieve({"compare", "store.db"}).out, ::testing::Not(HasSubstr("left out")));
}

TEST_F(Experiment, a_disk_that_fills_up_loses_nothing) {
  write("plan.toml", plan(10));
  // A file size limit stands in for the disk.
  const Ran full = run_program({"bash", "-c",
                                std::string("trap '' XFSZ; ulimit -f 96; exec ") + sieve_command() +
                                    " experiment plan.toml --data sets --store store.db --quiet"},
                               {.folder = folder_.path()});
  EXPECT_EQ(full.code, 5) << full.err;
  EXPECT_THAT(full.err, HasSubstr("store.db"));
  EXPECT_THAT(full.err, HasSubstr("what was stored is safe"));
  const std::size_t safe = results().size();
  EXPECT_GT(safe, 0U);
  EXPECT_LT(safe, 40U);
  const Ran rest = run();
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_THAT(rest.out, HasSubstr(std::to_string(safe) + " tasks were done before"));
  EXPECT_EQ(attempts(), 40U);
}

TEST_F(Experiment, a_place_that_can_not_be_written_is_named) {
  const Ran ran = sieve({"experiment", "plan.toml", "--data", "sets", "--store", "no/store.db"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("no/store.db"));
}

TEST_F(Experiment, results_do_not_depend_on_the_number_of_jobs) {
  ASSERT_EQ(run().code, 0);
  ASSERT_EQ(
      sieve({"experiment", "plan.toml", "--data", "sets", "--store", "one.db", "--jobs", "1"}).code,
      0);
  expect_same_measures(results(), results("one.db"));
}

TEST_F(Experiment, compare_prints_the_same_numbers_in_every_form) {
  write("plan.toml", plan(2));
  ASSERT_EQ(run().code, 0);
  const std::vector<Result> all = results();
  const double mean = (all[0].measure("hamming-loss") + all[1].measure("hamming-loss")) / 2;
  char shown[16];
  std::snprintf(shown, sizeof shown, "%.3f", mean);
  for (const char* form : {"text", "markdown", "latex"}) {
    const Ran ran = sieve({"compare", "store.db", "--to", form});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr(shown)) << form;
    EXPECT_THAT(ran.out, HasSubstr("Tiny: 8 of 8 tasks done, 0 failed")) << form;
  }
  EXPECT_THAT(sieve({"compare", "store.db", "--to", "csv"}).out,
              HasSubstr("hamming-loss,one,given,mlp,mean,"));
  const Ran json = sieve({"compare", "store.db", "--json"});
  EXPECT_EQ(json.out, sieve({"compare", "store.db", "--to", "json"}).out);
  EXPECT_THAT(json.out, HasSubstr("\"missing\":[]"));
}

TEST_F(Experiment, takes_over_known_results_as_long_as_they_hold) {
  ASSERT_EQ(run().code, 0);
  write("known.csv", sieve({"compare", "store.db", "--to", "results"}).out);
  const std::vector<std::string> again = {"experiment", "plan.toml", "--data",
                                          "sets",       "--store",   "other.db",
                                          "--quiet",    "--known",   "known.csv"};
  const Ran taken = sieve(again);
  EXPECT_EQ(taken.code, 0);
  EXPECT_THAT(taken.out, HasSubstr("0 tasks done and 0 failed"));
  EXPECT_THAT(taken.out, HasSubstr("12 results were taken over"));
  EXPECT_EQ(results("other.db").size(), 12U);
  EXPECT_EQ(results("other.db")[0].fingerprints, results()[0].fingerprints);

  // Other rows in one of the sets: its results no longer hold, those of the other do.
  sieve({"synth", "--rows", "80", "--features", "8", "--labels", "5", "--seed", "9", "--out",
         "sets/crowd1.arff", "--force"});
  ::unlink((folder_ / "other.db").c_str());
  const Ran partly = sieve(again);
  EXPECT_THAT(partly.out, HasSubstr("6 tasks done and 0 failed"));
  EXPECT_THAT(partly.out, HasSubstr("6 results were taken over"));
  EXPECT_THAT(partly.out, HasSubstr("6 earlier results no longer hold"));
  const Ran compared = sieve({"compare", "other.db", "--before", "known.csv"});
  EXPECT_THAT(compared.out, HasSubstr("of 16 figures that both have"));
  EXPECT_THAT(compared.out, HasSubstr("Where the columns come from"));
}

// The store itself is no better: results of other data under the same name are run again.
TEST_F(Experiment, runs_again_what_no_longer_holds_in_its_store) {
  ASSERT_EQ(run().code, 0);
  Database(folder_ / "store.db", Database::Access::Write)
      .run("UPDATE results SET method_fingerprint = 'other' WHERE task_key LIKE '%/mlp/%'");
  EXPECT_THAT(run({"--dry-run"}).out, HasSubstr("6 tasks to do"));
  EXPECT_THAT(run().out, HasSubstr("6 tasks done and 0 failed"));
  EXPECT_THAT(run().out, HasSubstr("12 tasks were done before"));
}

}  // namespace
}  // namespace sieve::test
