#include <signal.h>

#include <algorithm>

#include "learning.h"
#include "support/places.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSettings = "epochs=20,patience=100000,width=16,members=2,depth=1,parts=4";

// Trainings that are shared by ranks on this machine.
class TrainRanks : public Learning {
 protected:
  void SetUp() override {
    if (run_program({"mpirun", "--version"}).code != 0)
      GTEST_SKIP() << "mpirun is needed to run this (Debian: openmpi-bin)";
    const std::string command = sieve_command();
    if (!FileSystem::real().exists(command.substr(0, command.rfind('/')) + "/liblabelsieve_mpi.so"))
      GTEST_SKIP() << "this LabelSieve was built without MPI";
  }
  static std::vector<std::string> words(const std::string& model,
                                        const std::vector<std::string>& more = {}) {
    return joined({"train", "crowd.arff", "--out", model, "--method", "pml-gan", "--set", kSettings,
                   "--threads", "1"},
                  more);
  }
  // A line for the shell.
  static std::string mpirun(const std::string& ranks) {
    return "exec env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun "
           "--oversubscribe --bind-to none " +
           ranks + " 2>err";
  }
  static std::string command(const std::vector<std::string>& arguments) {
    std::string line = sieve_command();
    for (const std::string& word : arguments) line += " " + word;
    return line;
  }
  int run_ranks(int count, const std::vector<std::string>& arguments) const {
    return shell(mpirun("-n " + std::to_string(count) + " " + command(arguments)));
  }
  int shell(const std::string& line) const {
    return run_program({"sh", "-c", line}, {.folder = folder_.path()}).code;
  }
};

TEST_F(TrainRanks, give_the_model_of_one_process_and_only_the_first_talks) {
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  EXPECT_EQ(sieve(words("alone", {"--log", "alone.log"})).code, 0);
  const Ran two = run_program(
      {"sh", "-c", mpirun("-n 2 " + command(words("two", {"--json", "--log", "two.log"})))},
      {.folder = folder_.path()});
  EXPECT_EQ(two.code, 0) << read("err");
  EXPECT_EQ(run_ranks(4, words("four")), 0) << read("err");
  EXPECT_EQ(read("two"), read("alone"));
  EXPECT_EQ(read("four"), read("alone"));
  EXPECT_EQ(lines(two.out), 1) << two.out;
  EXPECT_EQ(lines(read("two.log")), lines(read("alone.log")));
}

TEST_F(TrainRanks, a_killed_rank_is_named_and_any_number_of_ranks_goes_on) {
  // mpirun leaves it to the ranks to find out: else it kills them a second after it has told them
  // to end, which is little on a busy machine.
  const std::string shared =
      command(words("stopped", {"--rank-timeout", "3", "--log", "epochs", "--quiet"}));
  RunningProgram training({"/bin/sh", "-c",
                           mpirun("--enable-recovery -n 1 " + shared +
                                  " : -n 1 sh -c 'echo $$ >pid; exec " + shared + "'")},
                          folder_.path());
  ASSERT_TRUE(training.wait_until([&] { return exists("epochs") && !read("epochs").empty(); }));
  ::kill(std::stoi(read("pid")), SIGKILL);
  training.wait();
  EXPECT_THAT(read("err"), HasSubstr("rank 1 is lost"));
  EXPECT_THAT(read("err"), HasSubstr("--resume, on any number of ranks"));
  EXPECT_FALSE(exists("stopped"));

  const std::string checkpoint = read("stopped.checkpoint");
  EXPECT_EQ(sieve(words("whole")).code, 0);
  EXPECT_EQ(sieve(words("stopped", {"--resume"})).code, 0);
  EXPECT_EQ(read("stopped"), read("whole"));
  write("again.checkpoint", checkpoint);
  EXPECT_EQ(run_ranks(2, words("again", {"--resume"})), 0) << read("err");
  EXPECT_EQ(read("again"), read("whole"));
}

TEST_F(TrainRanks, a_rank_without_its_data_ends_all_with_its_name) {
  const std::string good = command(words("model"));
  std::string bad = good, other = good;
  bad.replace(bad.find("crowd.arff"), 10, "none.arff");
  EXPECT_EQ(shell(mpirun("-n 1 " + good + " : -n 1 " + bad)), 5);
  EXPECT_THAT(read("err"), HasSubstr("rank 1 cannot go on: none.arff: cannot open: no such file"));

  EXPECT_EQ(sieve({"synth", "--rows", "199", "--out", "other.arff"}).code, 0);
  other.replace(other.find("crowd.arff"), 10, "other.arff");
  EXPECT_EQ(shell(mpirun("-n 1 " + good + " : -n 1 " + other)), 3);
  EXPECT_THAT(read("err"), HasSubstr("rank 1 has other data than rank 0"));
  EXPECT_FALSE(exists("model"));
}

TEST_F(TrainRanks, a_method_for_one_process_is_refused) {
  EXPECT_EQ(run_ranks(2, {"train", "crowd.arff", "--out", "model", "--method", "ml-rbf"}), 2);
  EXPECT_THAT(read("err"), HasSubstr("'ml-rbf' cannot be trained on several ranks"));
}

TEST_F(TrainRanks, a_number_that_is_no_power_of_two_is_refused) {
  EXPECT_EQ(run_ranks(3, words("model")), 2);
  EXPECT_THAT(read("err"), HasSubstr("cannot be shared by 3 ranks"));
  EXPECT_THAT(read("err"), HasSubstr("1, 2, 4, 8"));
  EXPECT_FALSE(exists("model"));
}

TEST_F(TrainRanks, a_rank_that_dies_before_it_joins_is_not_waited_for) {
  const std::string shared = command(words("model", {"--rank-timeout", "2.5"}));
  shell(mpirun("--enable-recovery -n 1 " + shared + " : -n 1 sh -c 'kill -9 $$'"));
  EXPECT_THAT(read("err"), HasSubstr("not all ranks started within 2.5 seconds"));
  EXPECT_FALSE(exists("model"));
}

}  // namespace
}  // namespace sieve::test
