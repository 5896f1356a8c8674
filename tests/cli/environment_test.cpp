#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "cli.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What goes wrong around the command: files, disks, pipes.
using Environment = Cli;

TEST_F(Environment, a_missing_file_is_named) {
  const Ran ran = sieve({"inspect", "nowhere.csv"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("nowhere.csv: cannot open: no such file or folder"));
}

TEST_F(Environment, a_folder_without_data_is_refused) {
  std::filesystem::create_directory(folder_ / "empty");
  const Ran ran = sieve({"inspect", "empty"});
  EXPECT_THAT(ran.code, ::testing::AnyOf(3, 5));
  EXPECT_THAT(ran.err, HasSubstr("empty"));
}

TEST_F(Environment, data_that_is_refused_exits_with_3) {
  write("bad.csv", "a,label:b\n1,1\n2\n");
  const Ran ran = sieve({"inspect", "bad.csv"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("bad.csv:3"));
}

TEST_F(Environment, no_permission_is_said) {
  write_small_set();
  ::chmod((folder_ / "small.csv").c_str(), 0);
  std::vector<std::string> words = {sieve_command(), "inspect", "small.csv"};
  if (::geteuid() == 0)  // who may read everything, unless that right is taken away
    words.insert(words.begin(), {"setpriv", "--bounding-set=-dac_override,-dac_read_search"});
  const Ran ran = run_program(words, {.folder = folder_.path()});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("permission"));
}

TEST_F(Environment, an_existing_output_is_kept_unless_forced) {
  write_small_set();
  write("out.csv", "mine");
  const std::vector<std::string> convert = {"convert", "small.csv", "out.csv"};
  const Ran ran = sieve(convert);
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("--force"));
  EXPECT_EQ(read("out.csv"), "mine");
  EXPECT_EQ(sieve({"convert", "small.csv", "out.csv", "--force"}).code, 0);
  EXPECT_THAT(read("out.csv"), HasSubstr("sun"));
}

TEST_F(Environment, whether_the_output_can_be_written_is_found_out_before_the_work) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"convert", "missing.csv", "no/such/folder/out.csv"},
           {"corrupt", "missing.csv", "no/out.csv", "--protocol", "fill", "--average", "2"},
           {"split", "missing.csv", "--out", "no/out"},
           {"split", "missing.csv", "--indices", "no/i.tsv"},
           {"synth", "--out", "no/out.csv"}}) {
    const Ran ran = sieve(words);
    EXPECT_EQ(ran.code, 5) << words[0];
    EXPECT_THAT(ran.err, HasSubstr("no/")) << words[0];
    EXPECT_THAT(ran.err, Not(HasSubstr("missing.csv"))) << words[0];
  }
}

TEST_F(Environment, a_full_disk_leaves_nothing_behind) {
  write_small_set();
  // A file size limit stands in for the disk.
  const Ran ran = run_program(
      {"sh", "-c",
       std::string("trap '' XFSZ; ulimit -f 16; exec ") + sieve_command() + " synth --out big.csv"},
      {.folder = folder_.path()});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("big.csv"));
  std::size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    left += entry.path().filename() != "small.csv";
  EXPECT_EQ(left, 0U);
}

TEST_F(Environment, a_full_disk_under_standard_output_exits_with_5) {
  const Ran ran = sieve({"methods"}, {.redirect = ">/dev/full"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("standard output"));
}

TEST_F(Environment, a_closed_standard_output_exits_with_5) {
  write_small_set();
  const Ran ran = sieve({"convert", "small.csv", "out.csv"}, {.redirect = ">&-"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("standard output"));
  EXPECT_THAT(read("out.csv"), Not(HasSubstr("wrote")));
}

TEST_F(Environment, a_pipe_closed_by_its_reader_ends_quietly) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const Ran ran = sieve({"help"}, {.redirect = ">&" + std::to_string(ends[1])});
  ::close(ends[1]);
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(ran.err, "");
}

TEST_F(Environment, standard_error_may_be_closed) {
  EXPECT_EQ(sieve({"inspect", "nowhere.csv"}, {.redirect = "2>&-"}).code, 5);
}

TEST_F(Environment, output_to_a_file_has_no_control_characters) {
  write_small_set();
  EXPECT_THAT(sieve({"inspect", "small.csv"}).out, Not(HasSubstr("\x1b")));
}

TEST_F(Environment, two_runs_writing_one_output_leave_one_whole_file) {
  const std::string run = sieve_command() + " synth --out crowd.csv --rows 300 --seed ";
  const Ran ran = run_program({"sh", "-c", run + "1 & " + run + "2; echo $?; wait $!; echo $?"},
                              {.folder = folder_.path()});
  ASSERT_EQ(sieve({"synth", "--out", "one.csv", "--rows", "300", "--seed", "1"}).code, 0);
  ASSERT_EQ(sieve({"synth", "--out", "two.csv", "--rows", "300", "--seed", "2"}).code, 0);
  EXPECT_THAT(read("crowd.csv"), ::testing::AnyOf(read("one.csv"), read("two.csv")));
  EXPECT_THAT(ran.out, HasSubstr("0\n"));  // at least one of them was glad
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    EXPECT_THAT(entry.path().string(), Not(HasSubstr(".part")));
}

TEST_F(Environment, too_little_memory_is_said) {
  if (sieve_command().find("build-asan") != std::string::npos)
    GTEST_SKIP() << "the sanitizer needs the address space";
  const Ran ran = run_program({"sh", "-c",
                               std::string("ulimit -v 400000; exec ") + sieve_command() +
                                   " synth --out big.csv --rows 100000000 --threads 1"},
                              {.folder = folder_.path()});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("memory"));
}

// OpenBLAS tries without end to get memory that it is refused, and HDF5 brings forty libraries.
TEST_F(Environment, a_plain_run_loads_neither_openblas_nor_hdf5) {
  const Ran ran = sieve({"--version"}, {.set = {{"LD_TRACE_LOADED_OBJECTS", "1"}}});
  EXPECT_THAT(ran.out, HasSubstr("libc.so"));
  for (const char* name : {"openblas", "gfortran", "matio", "hdf5", "curl", "libmpi"})
    EXPECT_THAT(ran.out, Not(HasSubstr(name)));
}

TEST_F(Environment, too_little_address_space_ends_no_run_in_a_loop) {
  if (sieve_command().find("build-asan") != std::string::npos)
    GTEST_SKIP() << "the sanitizer needs the address space";
  sieve({"synth", "--rows", "100", "--out", "crowd.arff"});
  const auto within = [&](const std::string& limit, const std::string& words) {
    return run_program(
        {"sh", "-c", "ulimit " + limit + "; exec timeout 60 " + sieve_command() + " " + words},
        {.folder = folder_.path()});
  };
  EXPECT_EQ(within("-v 250000", "--version").code, 0);
  EXPECT_EQ(within("-v 250000", "inspect crowd.arff").code, 0);
  for (const char* limit : {"-v 150000", "-v 250000", "-v 350000", "-v 450000", "-d 200000"}) {
    const Ran ran = within(limit, "train crowd.arff --method pml-ni --threads 2 --out model");
    EXPECT_EQ(ran.code, 5) << limit << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("OpenBLAS needs")) << limit;
    EXPECT_THAT(ran.err, HasSubstr("raise the limit")) << limit;
  }
  // Room for one call at a time: the threads take turns.
  const Ran narrow = within("-v 800000", "train crowd.arff --method capml --threads 8 --out model");
  EXPECT_EQ(narrow.code, 0) << narrow.err;
}

TEST_F(Environment, no_name_from_a_file_steers_the_terminal) {
  const std::string evil = "\x1b[2J\u009b1m\x07\x7f";
  std::string text = "x" + evil + ",label:a" + evil + ",label:b" + evil + "\n";
  for (int i = 0; i < 12; ++i)
    text += std::to_string(i) + "," + std::to_string(i % 2) + "," + std::to_string(i / 6) + "\n";
  write("set" + evil + ".csv", text);
  write("set.csv", text);
  write("bad.csv", "x,label:a\n" + evil + ",1\n");
  write("other.csv", "label:c,label:d\n1,0\n");
  write("y.csv", "y\n1\n");
  const std::vector<std::string> quick = {"--set", "epochs=1,width=8,trees=5"};
  std::vector<std::vector<std::string>> runs = {
      {"inspect", "set.csv"},
      {"inspect", "set" + evil + ".csv"},
      {"inspect", "set.csv", "--json"},
      {"inspect", "bad.csv"},
      {"inspect", "no" + evil},
      {"inspect", "set.csv", "--label-names", evil},
      {"train", "set.csv", "--out", "model", "--validate", "0.3", quick[0], quick[1]},
      {"info", "model"},
      {"predict", "model", "y.csv"},
      {"clean", "set.csv", quick[0], quick[1], "--folds", "2"},
      {"evaluate", "--truth", "set.csv", "--decisions", "set.csv", "--per-label"},
      {"evaluate", "--truth", "set.csv", "--decisions", "other.csv"},
      {"convert", "set.csv", "out" + evil + ".csv"},
      {evil}};
  for (const std::vector<std::string>& words : runs) {
    const Ran ran = sieve(words);
    EXPECT_NE(ran.code, 1) << words[0] << ran.err;
    for (const char* control : {"\x1b", "\u009b", "\x07", "\x7f"})
      EXPECT_THAT(ran.out + ran.err, Not(HasSubstr(control))) << words[0];
  }
  EXPECT_THAT(sieve({"inspect", "set.csv"}).out, HasSubstr("a\\x1b[2J"));
}

}  // namespace
}  // namespace sieve::test
