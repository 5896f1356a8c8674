#include "experiment/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "experiment/task.h"
#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dataset crowd(std::uint64_t seed = 1) {
  ThreadPool pool(1);
  SynthOptions options;
  options.rows = 60;
  options.features = 6;
  options.labels = 6;
  options.seed = seed;
  return make_synthetic(options, pool);
}

Task quick_task() {
  Task task{"", "crowd", "given", "mlp", "mlp", "depth=1,epochs=1,members=1,width=8", 1, 0.2, 0};
  task.key = task_key(task);
  return task;
}

// Rank 0 with one process of its own; the test plays the other ranks.
class RankCrewTest : public ::testing::Test {
 protected:
  RankCrewTest() {
    data_.ready.emplace("crowd", crowd());
    MeetingPoint point;
    invitation_ = point.invitation();
    crew_ = std::make_unique<RankCrew>(std::move(point), 5, 1, plan_, data_);
  }

  Link join(std::size_t rank) { return meet(invitation_, pack_hello({rank, "there", 1})); }
  Link join_ready(std::size_t rank) {
    Link link = join(rank);
    link.send(pack_message({.kind = Message::Kind::Ready, .view = view_of(plan_, data_)}));
    while (crew_->size() < 2) look();
    return link;
  }
  std::optional<Result> look() { return crew_->next(std::chrono::milliseconds(20)); }
  Result wait_for_result() {
    for (;;)
      if (std::optional<Result> result = look()) return *result;
  }
  // A process that the crew has forked may hold the test's end open too.
  static void hang_up(const Link& link) { ::shutdown(link.descriptor(), SHUT_RDWR); }
  void lose(const Link& link) {
    hang_up(link);
    while (crew_->size() > 1) look();
  }
  static Message hear(Link& link) {
    for (;;) {
      link.receive();
      if (const std::optional<std::string> bytes = link.next()) return unpack_message(*bytes);
    }
  }

  Plan plan_;
  DataSets data_;
  std::string invitation_;
  std::unique_ptr<RankCrew> crew_;
};

TEST_F(RankCrewTest, a_rank_is_given_tasks_and_its_outcome_is_the_result) {
  Link rank = join_ready(2);
  crew_->start(quick_task());
  EXPECT_EQ(hear(rank).task, quick_task());
  EXPECT_EQ(crew_->running(), 1U);
  Result done;
  done.measures = {{"hamming-loss", 0.1}};
  rank.send(pack_message(
      {.kind = Message::Kind::Result, .text = quick_task().key, .outcome = pack_outcome(done)}));
  const Result result = wait_for_result();
  EXPECT_EQ(result.task, quick_task());
  EXPECT_EQ(result.measures, done.measures);
  EXPECT_EQ(crew_->running(), 0U);
}

TEST_F(RankCrewTest, the_task_of_a_lost_rank_is_dealt_again) {
  Link rank = join_ready(2);
  crew_->start(quick_task());
  lose(rank);
  EXPECT_EQ(crew_->running(), 1U);
  const Result result = wait_for_result();
  EXPECT_TRUE(result.done()) << result.reason;
  EXPECT_EQ(result.task, quick_task());
  EXPECT_EQ(crew_->running(), 0U);
  EXPECT_THAT(crew_->notes().front(), HasSubstr("rank 2 on there was lost"));
}

TEST_F(RankCrewTest, a_task_that_costs_three_ranks_is_failed) {
  Task endless = quick_task();
  endless.key = "endless";
  endless.options = "depth=1,epochs=100000,members=1,patience=100000,width=64";
  Link rank = join_ready(1);
  crew_->start(quick_task());
  crew_->start(endless);  // keeps rank 0 busy
  for (const std::size_t next : {2, 3}) {
    lose(rank);
    rank = join_ready(next);
    look();
    EXPECT_EQ(hear(rank).task, quick_task());
  }
  hang_up(rank);
  const Result result = wait_for_result();
  EXPECT_EQ(result.task, quick_task());
  EXPECT_EQ(result.reason, "3 ranks were lost while running it");
}

TEST_F(RankCrewTest, a_rank_that_sees_other_data_ends_the_grid_by_name) {
  DataSets other;
  other.ready.emplace("crowd", crowd(2));
  Link rank = join(3);
  rank.send(pack_message({.kind = Message::Kind::Ready, .view = view_of(plan_, other)}));
  int code = 0;
  EXPECT_THAT(refusal([&] { wait_for_result(); }, &code),
              HasSubstr("rank 3 on there has another data set 'crowd' than rank 0"));
  EXPECT_EQ(code, 3);
}

TEST_F(RankCrewTest, a_rank_with_another_plan_ends_the_grid_by_name) {
  Plan other;
  other.info.hash = "0";
  Link rank = join(3);
  rank.send(pack_message({.kind = Message::Kind::Ready, .view = view_of(other, data_)}));
  EXPECT_THAT(refusal([&] { wait_for_result(); }),
              HasSubstr("rank 3 on there reads another plan than rank 0"));
}

TEST_F(RankCrewTest, a_rank_that_can_not_read_its_data_ends_the_grid_with_the_reason) {
  Link rank = join(1);
  rank.send(pack_message(
      {.kind = Message::Kind::Refuse, .failure = Failure::Io, .text = "no such file"}));
  int code = 0;
  EXPECT_EQ(refusal([&] { wait_for_result(); }, &code), "no such file");
  EXPECT_EQ(code, 5);
}

TEST_F(RankCrewTest, a_stranger_is_sent_away) {
  std::string wrong = invitation_;
  wrong[5] = wrong[5] == '0' ? '1' : '0';
  Link stranger = meet(wrong, pack_hello({2, "there", 1}));
  stranger.send(pack_message({.kind = Message::Kind::Ready, .view = view_of(plan_, data_)}));
  while (stranger.receive()) look();
  EXPECT_EQ(crew_->size(), 1U);
  EXPECT_EQ(crew_->notes().size(), 4U);  // ranks that never came
}

TEST_F(RankCrewTest, all_ranks_are_told_the_end_and_its_reason) {
  std::vector<Link> ranks;
  for (const std::size_t rank : {1, 2, 3, 4}) ranks.push_back(join(rank));
  const Error error(Failure::Io, "disk full");
  crew_->dismiss(&error);
  for (Link& rank : ranks) {
    const Message stop = hear(rank);
    EXPECT_EQ(stop.kind, Message::Kind::Stop);
    EXPECT_EQ(stop.failure, Failure::Io);
    EXPECT_EQ(stop.text, "disk full");
  }
  EXPECT_THAT(crew_->notes(), ElementsAre());
}

}  // namespace
}  // namespace sieve::test
