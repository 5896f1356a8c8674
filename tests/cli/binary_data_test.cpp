#include <csignal>
#include <filesystem>
#include <system_error>

#include "cli.h"
#include "labelsieve/files.h"

// What may happen to a binary data file around the command.
namespace sieve::test {
namespace {

using ::testing::HasSubstr;

class BinaryData : public Cli {
 protected:
  // A table of about 1.3 MB.
  void make_table() const {
    ASSERT_EQ(sieve({"synth", "--out", "crowd.csv", "--rows", "2000", "--seed", "4"}).code, 0);
  }
  // The bytes that a process has written to files so far.
  static std::uintmax_t bytes_written(int process) {
    const std::string io = read_file("/proc/" + std::to_string(process) + "/io");
    const std::size_t at = io.find("wchar: ");
    return at == io.npos ? 0 : std::stoull(io.substr(at + 7));
  }
};

TEST_F(BinaryData, of_synth_is_that_of_the_table_it_would_write) {
  make_table();
  ASSERT_EQ(sieve({"synth", "--out", "made.sieve", "--rows", "2000", "--seed", "4"}).code, 0);
  ASSERT_EQ(sieve({"convert", "crowd.csv", "converted.sieve"}).code, 0);
  EXPECT_EQ(read("made.sieve"), read("converted.sieve"));
}

TEST_F(BinaryData, a_full_disk_while_converting_leaves_the_old_file_alone) {
  make_table();
  write("out.sieve", "old");
  // A file size limit stands in for the disk.
  const Ran ran = run_program({"sh", "-c",
                               std::string("trap '' XFSZ; ulimit -f 16; exec ") + sieve_command() +
                                   " convert crowd.csv out.sieve --force"},
                              {.folder = folder_.path()});
  EXPECT_EQ(ran.code, 5);
  EXPECT_THAT(ran.err, HasSubstr("out.sieve"));
  EXPECT_EQ(read("out.sieve"), "old");
  EXPECT_EQ(FileSystem::real().list(folder_.path()).size(), 2U);
}

TEST_F(BinaryData, a_kill_while_converting_leaves_no_half_file_under_the_name) {
  make_table();
  write("out.sieve", "old");
  const std::string endless = " < <(cat crowd.csv; while tail -n +2 crowd.csv; do :; done)";
  RunningProgram converting({"/bin/bash", "-c",
                             std::string("exec ") + sieve_command() +
                                 " convert - out.sieve --format csv --force" + endless},
                            folder_.path());
  ASSERT_TRUE(converting.wait_until([&] { return bytes_written(converting.process()) > 1000000; }));
  converting.signal(SIGKILL);
  EXPECT_EQ(converting.wait(), 128 + SIGKILL);
  EXPECT_EQ(read("out.sieve"), "old");
  EXPECT_EQ(FileSystem::real().list(folder_.path()).size(), 2U);  // no half file elsewhere either
  EXPECT_EQ(sieve({"convert", "crowd.csv", "out.sieve", "--force"}).code, 0);
}

TEST_F(BinaryData, that_was_cut_off_or_edited_is_refused_by_every_verb) {
  make_table();
  ASSERT_EQ(sieve({"convert", "crowd.csv", "whole.sieve"}).code, 0);
  ASSERT_EQ(sieve({"train", "whole.sieve", "--out", "m.model", "--method", "mlp-noise", "--set",
                   "epochs=1", "--set", "members=1", "--set", "depth=0"})
                .code,
            0);
  const std::string bytes = read("whole.sieve");
  write("cut.sieve", bytes.substr(0, bytes.size() / 2));
  std::string edited = bytes;
  edited[bytes.size() / 2] ^= 1;
  write("edited.sieve", edited);
  for (const std::string file : {"cut.sieve", "edited.sieve"})
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"train", file, "--out", "other.model"},
                                               {"predict", "m.model", file, "--out", "scores.csv"},
                                               {"clean", file, "--out", "cleaned.sieve"},
                                               {"convert", file, "out.csv"}}) {
      const Ran ran = sieve(words);
      EXPECT_EQ(ran.code, 3) << words[0] << file;
      EXPECT_THAT(ran.err, HasSubstr(file)) << words[0];
      EXPECT_THAT(ran.err, HasSubstr("damaged")) << words[0];
      EXPECT_FALSE(std::filesystem::exists(folder_ / words.back())) << words[0];
    }
}

}  // namespace
}  // namespace sieve::test
