#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crowd/simulated_crowd.h"
#include "labelsieve/crowd.h"
#include "support/memory_limit.h"
#include "support/support.h"

namespace sieve {
namespace {

// Row 0: three annotators, label 0 ticked by two, label 1 by one. Row 1: nobody looked.
Votes small() {
  VoteCollector said;
  said.tick(0, 0, 0);
  said.tick(0, 1, 0);
  said.tick(0, 1, 1);
  said.annotate(0, 2);
  return said.finish(2, names(3));
}

std::vector<float> first_row(Aggregation how, std::size_t at_least = 2) {
  ThreadPool pool(1);
  const Matrix out = aggregate(small(), 3, how, pool, at_least);
  EXPECT_EQ(out(1, 0), 0.0F);
  return {out(0, 0), out(0, 1), out(0, 2)};
}

TEST(Aggregate, counts_ticks) {
  EXPECT_EQ(first_row(Aggregation::Union), (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(first_row(Aggregation::Share), (std::vector<float>{2.0F / 3, 1.0F / 3, 0}));
  EXPECT_EQ(first_row(Aggregation::AtLeast), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(first_row(Aggregation::AtLeast, 1), (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(first_row(Aggregation::Majority), (std::vector<float>{1, 0, 0}));
}

TEST(Aggregate, names_the_memory_it_would_take_beforehand) {
  const Votes votes = small();
  ThreadPool pool(1);
  const test::MemoryLimit limit(100'000'000);
  constexpr std::size_t kLabels = 20'000'000;
  for (const Aggregation how :
       {Aggregation::Share, Aggregation::TwoCoins, Aggregation::CrowdModel}) {
    int code = 0;
    const std::string message = test::refusal([&] { aggregate(votes, kLabels, how, pool); }, &code);
    EXPECT_EQ(code, 2);
    EXPECT_THAT(message, ::testing::HasSubstr("would take"));
    EXPECT_THAT(message, ::testing::HasSubstr("labels"));
  }
  int code = 0;
  const CrowdView view{&votes, 200'000, nullptr};
  EXPECT_THAT(test::refusal([&] { fit_crowd(view, pool); }, &code),
              ::testing::HasSubstr("annotators do with each of 200000 labels would take"));
  EXPECT_EQ(code, 2);
}

TEST(Aggregate, half_of_the_annotators_are_no_majority) {
  VoteCollector said;
  said.tick(0, 0, 0);
  said.annotate(0, 1);
  ThreadPool pool(1);
  EXPECT_EQ(aggregate(said.finish(1, names(2)), 1, Aggregation::Majority, pool)(0, 0), 0.0F);
}

TEST(Aggregate, two_coins_beat_one_where_annotators_overlook_much) {
  const SimulatedCrowd crowd = simulate_crowd({});
  ThreadPool pool(2);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const auto area = [&](Aggregation how) {
    return area_among(aggregate(crowd.votes, 6, how, pool), crowd.truth, ticked);
  };
  const double share = area(Aggregation::Share);
  EXPECT_GT(area(Aggregation::OneCoin), 0.6);
  EXPECT_GT(area(Aggregation::TwoCoins), area(Aggregation::OneCoin));
  EXPECT_GT(area(Aggregation::TwoCoins), share);
}

TEST(Aggregate, never_claims_certainty_and_leaves_unseen_rows_at_0) {
  for (const Aggregation how :
       {Aggregation::OneCoin, Aggregation::TwoCoins, Aggregation::CrowdModel}) {
    const std::vector<float> row = first_row(how);
    for (const float q : row) EXPECT_TRUE(q > 0 && q < 1) << q;
    EXPECT_GT(row[0], row[2]);
  }
}

}  // namespace
}  // namespace sieve
