#include <sys/stat.h>

#include <cstdlib>

#include "cli.h"
#include "experiment/store.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

// Two data folders with a set of the same name, and a small plan.
class Grid : public Cli {
 protected:
  void SetUp() override {
    if (std::system("command -v mpirun > /dev/null") != 0)
      GTEST_SKIP() << "there is no mpirun (Debian: openmpi-bin)";
    for (const char* seed : {"1", "2"}) {
      mkdir((folder_ / seed).c_str(), 0777);
      sieve({"synth", "--rows", "80", "--features", "8", "--labels", "5", "--seed", seed, "--out",
             std::string(seed) + "/crowd.arff"});
    }
    write_plan("epochs = 1");
  }

  void write_plan(const std::string& length) const {
    write("plan.toml",
          "repeats = 4\n[[data]]\nname = \"crowd\"\nfolder = \"crowd.arff\"\n[[method]]\n"
          "name = \"mlp\"\nset = { members = 1, depth = 1, width = 8, " +
              length + " }\n");
  }
  // Tasks that are not done before the last rank has come.
  void write_endless_plan() const { write_plan("epochs = 100000, patience = 100000"); }

  // One rank for each data folder.
  Ran grid(const std::vector<std::string>& folders,
           const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {
        "timeout", "100", "mpirun", "--allow-run-as-root", "--oversubscribe", "--enable-recovery"};
    for (const std::string& folder : folders) {
      if (words.back() != "--enable-recovery") words.emplace_back(":");
      words.insert(words.end(), {"-n", "1", sieve_command(), "experiment", "plan.toml", "--data",
                                 folder, "--store", "grid.db"});
      words.insert(words.end(), more.begin(), more.end());
    }
    return run_program(words, {.folder = folder_.path()});
  }
  std::vector<Result> results(const std::string& store) const {
    return read_results(folder_ / store).results;
  }
};

TEST_F(Grid, has_the_numbers_of_a_run_on_its_own_and_one_report) {
  ASSERT_EQ(sieve({"experiment", "plan.toml", "--data", "1", "--store", "alone.db"}).code, 0);
  const Ran ran = grid({"1", "1"}, {"--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"done\":4,"));
  EXPECT_THAT(ran.out, HasSubstr("\"ranks\":2,"));
  EXPECT_EQ(ran.out.find('\n'), ran.out.size() - 1);
  const std::vector<Result> alone = results("alone.db"), together = results("grid.db");
  ASSERT_EQ(alone.size(), together.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(alone[i].task, together[i].task);
    EXPECT_EQ(alone[i].measures, together[i].measures);
  }
}

TEST_F(Grid, ends_on_every_rank_if_one_sees_other_data) {
  write_endless_plan();
  const Ran ran = grid({"1", "2", "1"});
  EXPECT_THAT(ran.err, HasSubstr("sieve: rank 1 on "));
  EXPECT_THAT(ran.err, HasSubstr(" has another data set 'crowd' than rank 0"));
  EXPECT_THAT(ran.err, HasSubstr("sieve: rank 2 on "));
  EXPECT_EQ(ran.out, "");
}

TEST_F(Grid, ends_on_every_rank_if_one_can_not_read_its_data) {
  write_endless_plan();
  const Ran ran = grid({"1", "nowhere"});
  EXPECT_THAT(ran.err, HasSubstr("rank 1 on "));
  EXPECT_THAT(ran.err, HasSubstr("nowhere: cannot list: no such file"));
  EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace sieve::test
