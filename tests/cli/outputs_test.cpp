#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include "learning.h"
#include "support/places.h"

// What the command does to the places it writes to, and to the pipes it reads from.
namespace sieve::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class Outputs : public Cli {
 protected:
  Outputs() {
    sieve({"synth", "--rows", "100", "--out", "crowd.csv"});
    sieve({"train", "crowd.csv", "--method", "pml-ni", "--out", "model"});
  }
  // A shell line in the folder; $SIEVE is the command.
  Ran shell(const std::string& line) const {
    return run_program({"/bin/bash", "-c", line},
                       {.folder = folder_.path(), .set = {{"SIEVE", sieve_command()}}});
  }
  std::vector<std::string> leftovers() const {
    std::vector<std::string> names;
    for (const std::string& name : FileSystem::real().list(folder_.path()))
      if (name.find(".part-") != name.npos || name.find(".pending") != name.npos ||
          name.find(".lock") != name.npos)
        names.push_back(name);
    return names;
  }
};

TEST_F(Outputs, a_device_is_written_to_and_stays_a_device) {
  if (::mknod((folder_ / "null").c_str(), S_IFCHR | 0666, 1 << 8 | 3) != 0)
    GTEST_SKIP() << "making a device needs root";
  for (const char* force : {"--quiet", "--force"}) {
    const Ran ran = sieve({"predict", "model", "crowd.csv", "--out", "null", force});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(fs::is_character_file(folder_ / "null"));
  }
  EXPECT_EQ(sieve({"train", "crowd.csv", "--method", "pml-ni", "--out", "other", "--checkpoint",
                   "null", "--force"})
                .code,
            5);
  EXPECT_TRUE(fs::is_character_file(folder_ / "null"));
}

TEST_F(Outputs, no_input_is_replaced_under_any_name) {
  sieve({"synth", "--rows", "60", "--out", "set.csv", "--annotations", "ticks.csv"});
  sieve({"convert", "crowd.csv", "crowd.arff"});
  write("gold.csv", "item,label,true\n");
  fs::create_symlink("crowd.csv", folder_ / "link.csv");
  fs::create_hard_link(folder_ / "ticks.csv", folder_ / "hard.csv");
  fs::copy_file(folder_ / "crowd.csv", folder_ / "train.csv");
  const std::vector<std::pair<std::string, std::vector<std::string>>> asked = {
      {"crowd.csv", {"clean", "crowd.csv", "--out", "./crowd.csv"}},
      {"crowd.csv", {"clean", "link.csv", "--out", "crowd.csv"}},
      {"crowd.csv", {"clean", "crowd.csv", "--suspects", "link.csv"}},
      {"gold.csv", {"clean", "crowd.csv", "--gold", "gold.csv", "--missing", "gold.csv"}},
      {"ticks.csv", {"clean", "set.csv", "--annotations", "ticks.csv", "--out", "hard.csv"}},
      {"crowd.csv", {"convert", "crowd.csv", "crowd.csv"}},
      {"crowd.xml", {"clean", "crowd.arff", "--suspects", "crowd.xml"}},
      {"crowd.csv", {"corrupt", "crowd.csv", "crowd.csv", "--protocol", "fill", "--average", "3"}},
      {"train.csv", {"split", "train.csv", "--out", "./"}},
      {"crowd.csv", {"split", "crowd.csv", "--indices", "crowd.csv"}},
      {"crowd.csv", {"train", "crowd.csv", "--out", "crowd.csv"}},
      {"crowd.csv", {"train", "crowd.csv", "--out", "new", "--checkpoint", "crowd.csv"}},
      {"crowd.csv", {"train", "crowd.csv", "--out", "new", "--log", "crowd.csv"}},
      {"ticks.csv", {"train", "set.csv", "--annotations", "ticks.csv", "--out", "ticks.csv"}},
      {"model", {"predict", "model", "crowd.csv", "--out", "model"}},
      {"crowd.csv", {"predict", "model", "crowd.csv", "--out", "link.csv"}},
      {"ticks.csv", {"aggregate", "--annotations", "ticks.csv", "--out", "ticks.csv"}},
      {"ticks.csv", {"ask", "--annotations", "ticks.csv", "--out", "hard.csv"}},
      {"ticks.csv", {"annotators", "--annotations", "ticks.csv", "--report", "ticks.csv"}},
      {"model", {"report", "--model", "model", "--data", "crowd.csv", "--out", "model"}},
  };
  for (auto [kept, words] : asked) {
    words.push_back("--force");
    const std::string before = read(kept);
    const Ran ran = sieve(words);
    EXPECT_EQ(ran.code, 2) << testing::PrintToString(words) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("is the same file as")) << testing::PrintToString(words);
    ASSERT_EQ(read(kept), before) << testing::PrintToString(words);
  }
}

TEST_F(Outputs, a_pipe_is_written_to_and_stays_a_pipe) {
  ASSERT_EQ(
      shell("mkfifo p.csv; cat p.csv > got & $SIEVE convert crowd.csv p.csv --force; wait").code,
      0);
  EXPECT_TRUE(fs::is_fifo(folder_ / "p.csv"));
  EXPECT_EQ(sieve({"convert", "crowd.csv", "plain.csv"}).code, 0);
  EXPECT_EQ(read("got"), read("plain.csv"));
}

TEST_F(Outputs, a_link_is_followed_and_the_mode_of_the_file_kept) {
  ASSERT_EQ(shell("ln -s real.csv link.csv; $SIEVE convert crowd.csv link.csv").code, 0);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.csv"));
  EXPECT_EQ(read("real.csv"), read("link.csv"));
  EXPECT_EQ(sieve({"convert", "crowd.csv", "link.csv"}).code, 5);
  fs::permissions(folder_ / "real.csv", fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_EQ(sieve({"convert", "crowd.csv", "link.csv", "--force"}).code, 0);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.csv"));
  EXPECT_EQ(fs::status(folder_ / "real.csv").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Outputs, leftovers_of_a_run_with_the_same_process_id_are_not_in_the_way) {
  const Ran ran = shell("touch o.csv.part-$$; exec $SIEVE convert crowd.csv o.csv");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(leftovers(), IsEmpty());
  const Ran training = shell(
      "touch m.checkpoint.part-$$ m.part-$$; exec $SIEVE train crowd.csv --out m --resume "
      "--method pml-gan --set epochs=1,members=1,depth=0 --checkpoint-every 0");
  EXPECT_EQ(training.code, 0) << training.err;
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Outputs, of_runs_that_may_not_replace_each_other_exactly_one_succeeds) {
  for (int round = 0; round < 10; ++round) {
    const Ran ran = shell(
        "for i in 1 2 3; do { $SIEVE split crowd.csv --out p --seed $i 2>err$i >/dev/null; "
        "echo $? > code$i; } & done; wait; cat code?");
    std::string codes = ran.out;
    std::ranges::sort(codes);
    EXPECT_EQ(codes, "\n\n\n055") << read("err1") << read("err2") << read("err3");
    const Ran both = sieve({"inspect", "p-train.csv", "p-test.csv", "--json"});
    EXPECT_THAT(both.out, AllOf(HasSubstr("\"rows\":100,"), HasSubstr("\"duplicate_rows\":0,")));
    EXPECT_THAT(leftovers(), IsEmpty());
    fs::remove(folder_ / "p-train.csv");
    fs::remove(folder_ / "p-test.csv");
  }
}

TEST_F(Outputs, two_trainings_do_not_share_a_checkpoint) {
  const std::vector<std::string> words = {
      "train",    "crowd.csv", "--out", "m",
      "--method", "mlp-noise", "--set", "epochs=100000,patience=100000,width=8,members=1"};
  std::vector<std::string> command = words;
  command.insert(command.begin(), sieve_command());
  RunningProgram first(command, folder_.path());
  ASSERT_TRUE(first.wait_until([&] { return fs::exists(folder_ / "m.checkpoint.lock"); }));
  const Ran second = sieve(words);
  EXPECT_EQ(second.code, 5);
  EXPECT_THAT(second.err, HasSubstr("m.checkpoint: another training (process "));
  first.signal(SIGKILL);
  first.wait();
  EXPECT_EQ(sieve({"train", "crowd.csv", "--out", "m", "--resume", "--method", "mlp-noise", "--set",
                   "epochs=1,members=1"})
                .code,
            0);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Outputs, a_reader_is_told_that_a_pair_is_half_replaced) {
  ASSERT_EQ(sieve({"split", "crowd.csv", "--out", "p"}).code, 0);
  // As a kill between the two renames leaves it.
  write("p-test.csv", read("p-train.csv"));
  const auto stamp = [&](const char* name) { return FileSystem::real().stamp(folder_ / name); };
  const std::string note = stamp("p-train.csv") + " p-train.csv" + '\0' + "1-2-3 p-test.csv" + '\0';
  for (const char* name : {"p-train.csv", "p-test.csv"})
    write(name + std::string(".pending"), note);
  for (const char* name : {"p-train.csv", "p-test.csv"}) {
    const Ran ran = sieve({"inspect", name});
    EXPECT_EQ(ran.code, 3);
    EXPECT_THAT(ran.err, HasSubstr("new are p-train.csv, but not p-test.csv"));
  }
  EXPECT_THAT(sieve({"split", "crowd.csv", "--out", "p"}).err, HasSubstr("new are p-train.csv"));
  EXPECT_EQ(sieve({"split", "crowd.csv", "--out", "p", "--force"}).code, 0);
  EXPECT_EQ(sieve({"inspect", "p-train.csv"}).code, 0);
  EXPECT_THAT(leftovers(), IsEmpty());
}

// Every request to end, in verbs that come to an orderly end by themselves and in those that do
// not.
class Requests : public Outputs, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, Requests, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_P(Requests, end_a_training_with_a_checkpoint) {
  RunningProgram training(
      {sieve_command(), "train", "crowd.csv", "--out", "m", "--method", "pml-gan", "--set",
       "epochs=100000,patience=100000,width=8,members=1,depth=0", "--checkpoint-every", "0"},
      folder_.path());
  ASSERT_TRUE(training.wait_until([&] { return fs::exists(folder_ / "m.checkpoint"); }));
  training.signal(GetParam());
  EXPECT_EQ(training.wait(), 7);
  EXPECT_EQ(sieve({"info", "m.checkpoint"}).code, 0);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(Requests, end_a_verb_without_leftovers_and_the_old_output_untouched) {
  write("out.csv", "old");
  // Inputs that never come: each verb waits for them, with its outputs open.
  ASSERT_EQ(::mkfifo((folder_ / "endless").c_str(), 0600), 0);
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"convert", "-", "out.csv", "--force"},
           {"predict", "model", "-", "--out", "out.csv", "--force"},
           {"synth", "--rows", "100000000", "--out", "out.csv", "--force"},
           {"corrupt", "-", "out.csv", "--force", "--protocol", "fill", "--average", "3"},
           {"clean", "-", "--out", "out.csv", "--force"},
           {"inspect", "-"}}) {
    std::string line = "exec 0<>endless; touch started; exec " + shell_quoted(sieve_command());
    for (const std::string& word : words) line += " " + word;
    RunningProgram program({"/bin/bash", "-c", line}, folder_.path());
    // Once it heeds the signal.
    ASSERT_TRUE(program.wait_until([&] {
      const std::string status =
          read_file("/proc/" + std::to_string(program.process()) + "/status");
      const std::size_t at = status.find("SigCgt:");
      return read_file("/proc/" + std::to_string(program.process()) + "/comm") == "sieve\n" &&
             at != status.npos &&
             (std::stoull(status.substr(at + 7), nullptr, 16) >> (GetParam() - 1) & 1) != 0;
    }));
    program.signal(GetParam());
    EXPECT_EQ(program.wait(), 7) << words[0];
    EXPECT_EQ(read("out.csv"), "old") << words[0];
    EXPECT_THAT(leftovers(), IsEmpty()) << words[0];
  }
}

TEST_F(Outputs, nohup_is_respected) {
  const Ran ran = shell(
      "trap '' HUP; $SIEVE train crowd.csv --out m --method mlp --set epochs=5,members=1,depth=0 & "
      "while ! [ -e m.checkpoint.lock ]; do :; done; kill -HUP $!; wait $!");
  EXPECT_EQ(ran.code, 0) << ran.err;
}

TEST_F(Outputs, a_limit_on_the_size_of_files_is_an_error_that_names_the_file) {
  const Ran ran = shell("ulimit -f 8; exec $SIEVE convert crowd.csv long.csv");
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("long.csv"), HasSubstr("file too large")));
  EXPECT_FALSE(fs::exists(folder_ / "long.csv"));
}

TEST_F(Outputs, models_and_data_come_through_pipes_as_well) {
  ASSERT_EQ(sieve({"convert", "crowd.csv", "crowd.sieve"}).code, 0);
  ASSERT_EQ(sieve({"convert", "crowd.csv", "truth.csv", "--labels", "truth"}).code, 0);
  const std::map<std::string, std::string> same = {
      {"$SIEVE info model", "$SIEVE info <(cat model)"},
      {"$SIEVE info model ", "$SIEVE info - < model"},
      {"$SIEVE info model  ", "mkfifo m; cat model > m & $SIEVE info m"},
      {"$SIEVE inspect crowd.csv", "$SIEVE inspect <(cat crowd.csv)"},
      {"$SIEVE inspect crowd.sieve", "$SIEVE inspect <(cat crowd.sieve)"},
      {"$SIEVE inspect crowd.sieve ",
       "mkfifo c.sieve; cat crowd.sieve > c.sieve & "
       "$SIEVE inspect c.sieve"},
      {"$SIEVE predict model crowd.csv", "$SIEVE predict <(cat model) <(cat crowd.csv)"},
      {"$SIEVE inspect crowd.csv --truth truth.csv",
       "mkfifo t.csv; cat truth.csv > t.csv & $SIEVE inspect crowd.csv --truth t.csv"}};
  for (const auto& [file, pipe] : same) {
    const Ran expected = shell(file), ran = shell("set -m; " + pipe);
    EXPECT_EQ(expected.code, 0) << file << expected.err;
    EXPECT_EQ(ran.code, 0) << pipe << ran.err;
    EXPECT_EQ(ran.out, expected.out) << pipe;
  }
  const Ran other = shell("$SIEVE info /dev/zero");  // would never end
  EXPECT_EQ(other.code, 4);
}

}  // namespace
}  // namespace sieve::test
