#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "labelsieve/files.h"
#include "labelsieve/model_io.h"
#include "support/local_ranks.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(EpochLog, is_read_back_in_stretches_that_report_the_same) {
  const TempFolder folder;
  {
    EpochLog log(folder / "log", EpochLog::Open::New);
    log.add(1, {{"loss", 0.5}});
    log.add(2, {{"loss", NAN}});
  }
  EpochLog(folder / "log", EpochLog::Open::Append).add(3, {{"held_out", 0.25}});
  const std::vector<EpochHistory> stretches = read_epoch_log(folder / "log");
  ASSERT_EQ(stretches.size(), 2U);
  EXPECT_THAT(stretches[0].find("epoch")->values, ElementsAre(1, 2));
  EXPECT_EQ(stretches[0].find("loss")->values[0], 0.5);
  EXPECT_TRUE(std::isnan(stretches[0].find("loss")->values[1]));
  EXPECT_EQ(stretches[0].find("held_out"), nullptr);
  EXPECT_THAT(stretches[1].find("held_out")->values, ElementsAre(0.25));
}

TEST(EpochLog, replaces_no_file_that_should_be_new) {
  const TempFolder folder;
  write_file(folder / "log", "{}\n");
  EXPECT_THAT(refusal([&] { EpochLog(folder / "log", EpochLog::Open::New); }),
              HasSubstr("the log exists already"));
  EXPECT_EQ(read_file(folder / "log"), "{}\n");
}

TEST(EpochLog, names_the_line_that_is_no_epoch) {
  const TempFolder folder;
  write_file(folder / "log", "{\"epoch\":1}\n[1]\n");
  EXPECT_THAT(refusal([&] { read_epoch_log(folder / "log"); }), HasSubstr("log:2: this is not"));
}

TEST(FileCheckpoints, are_due_after_a_while_and_gone_when_removed) {
  const TempFolder folder;
  FileCheckpoints always(folder / "a", 0);
  EXPECT_TRUE(always.due());
  const FileCheckpoints later(folder / "b", 1e6);
  EXPECT_FALSE(later.due());
  always.save({});
  EXPECT_TRUE(FileSystem::real().exists(folder / "a"));
  always.remove();
  EXPECT_FALSE(FileSystem::real().exists(folder / "a"));
}

TEST(SharedCheckpoint, every_rank_gets_what_the_first_has) {
  run_ranks(2, [](Team& team) {
    ModelState state;
    state.method = team.rank() == 0 ? "first" : "second";
    EXPECT_EQ(shared_checkpoint(team, state).value().method, "first");
    EXPECT_FALSE(shared_checkpoint(team, std::nullopt).has_value());
  });
}

}  // namespace
}  // namespace sieve::test
