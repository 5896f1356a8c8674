// An unsure vote is a missing vote: for every way to combine votes, and for agreement.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "crowd/simulated_crowd.h"
#include "labelsieve/crowd.h"
#include "support/support.h"

namespace sieve {
namespace {

constexpr std::size_t kLabels = 4;

// A crowd whose annotators hide some of their votes by chance. `hide` is called for these.
template <class Hide>
Votes hiding(const Votes& votes, double share, Hide&& hide) {
  VoteCollector said;
  for (std::size_t row = 0; row < votes.rows(); ++row)
    for (std::size_t k = votes.first_annotation(row); k < votes.first_annotation(row + 1); ++k) {
      const std::uint32_t who = votes.annotator(k);
      const auto at = static_cast<std::uint32_t>(row);
      said.annotate(at, who);
      for (const std::uint32_t l : votes.ticked(k)) said.tick(at, who, l);
      Random random(5, Purpose::Test, row, who);
      for (std::uint32_t l = 0; l < kLabels; ++l)
        if (random.uniform() < share) hide(said, at, who, l);
    }
  return said.finish(votes.rows(), {votes.annotators().begin(), votes.annotators().end()});
}

Votes with_unsure(const Votes& votes, double share) {
  return hiding(votes, share, [](VoteCollector& said, auto row, auto who, auto label) {
    said.unsure(row, who, label);
  });
}

// What the same crowd would look like if an unsure vote were a no.
Votes with_no(const Votes& votes, double share) {
  const Votes unsure = with_unsure(votes, share);
  VoteCollector said;
  for (std::size_t row = 0; row < unsure.rows(); ++row)
    for (std::size_t k = unsure.first_annotation(row); k < unsure.first_annotation(row + 1); ++k) {
      said.annotate(static_cast<std::uint32_t>(row), unsure.annotator(k));
      for (const std::uint32_t l : unsure.ticked(k))
        said.tick(static_cast<std::uint32_t>(row), unsure.annotator(k), l);
    }
  return said.finish(unsure.rows(), {unsure.annotators().begin(), unsure.annotators().end()});
}

SimulatedCrowd crowd() {
  return simulate_crowd({.rows = 1200, .annotators = 8, .labels = kLabels, .seed = 7});
}

double area_of(const Votes& votes, const SimulatedCrowd& of, Aggregation how) {
  ThreadPool pool(2);
  return area_among(aggregate(votes, kLabels, how, pool), of.truth, of.votes.any_tick(kLabels));
}

TEST(UnsureVotes, tell_less_than_votes_but_more_than_a_no_would) {
  const SimulatedCrowd all = crowd();
  for (const Aggregation how :
       {Aggregation::Share, Aggregation::TwoCoins, Aggregation::CrowdModel}) {
    const double missing = area_of(with_unsure(all.votes, 0.4), all, how);
    EXPECT_LT(missing, area_of(all.votes, all, how));
    EXPECT_GT(missing, area_of(with_no(all.votes, 0.4), all, how) + 0.02);
  }
}

// One annotator who is unsure of every label of a row did as good as not look at it.
TEST(UnsureVotes, of_all_labels_are_no_annotation) {
  const SimulatedCrowd all = crowd();
  VoteCollector unsure, absent;
  for (std::size_t row = 0; row < all.votes.rows(); ++row)
    for (std::size_t k = all.votes.first_annotation(row); k < all.votes.first_annotation(row + 1);
         ++k) {
      const std::uint32_t who = all.votes.annotator(k);
      const auto at = static_cast<std::uint32_t>(row);
      const bool hides = who == 3 && row % 2 == 0;
      unsure.annotate(at, who);
      if (!hides) absent.annotate(at, who);
      if (hides)
        for (std::uint32_t l = 0; l < kLabels; ++l) unsure.unsure(at, who, l);
      else
        for (const std::uint32_t l : all.votes.ticked(k))
          unsure.tick(at, who, l), absent.tick(at, who, l);
    }
  const Votes a = unsure.finish(all.votes.rows(), names(8));
  const Votes b = absent.finish(all.votes.rows(), names(8));
  ThreadPool pool(2);
  const auto expect_near = [&](Aggregation how, double slack) {
    const Matrix x = aggregate(a, kLabels, how, pool), y = aggregate(b, kLabels, how, pool);
    double most = 0;
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t l = 0; l < kLabels; ++l)
        if (b.annotations(i) > 0)
          most = std::max(most, std::abs(double{x(i, l)} - double{y(i, l)}));
    EXPECT_LE(most, slack) << static_cast<int>(how);
  };
  expect_near(Aggregation::Share, 0);
  expect_near(Aggregation::Majority, 0);
  expect_near(Aggregation::OneCoin, 1e-5);
  expect_near(Aggregation::TwoCoins, 1e-5);
  expect_near(Aggregation::CrowdModel, 0.03);
}

TEST(UnsureVotes, give_the_same_bits_for_any_number_of_threads) {
  const Votes votes = with_unsure(crowd().votes, 0.2);
  ThreadPool one(1), three(3);
  const Matrix a = aggregate(votes, kLabels, Aggregation::CrowdModel, one);
  const Matrix b = aggregate(votes, kLabels, Aggregation::CrowdModel, three);
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t l = 0; l < kLabels; ++l) ASSERT_EQ(a(i, l), b(i, l));
}

TEST(UnsureVotes, of_copies_do_not_set_them_apart) {
  const SimulatedCrowd all = crowd();
  // Annotator 8 copies annotator 0, unsure votes and all.
  const Votes votes = with_unsure(all.votes, 0.2);
  VoteCollector said;
  std::vector<std::uint32_t> same(9), copy(9, 8);
  for (std::uint32_t a = 0; a < 9; ++a) same[a] = a;
  said.add(votes, 0, same);
  for (std::size_t row = 0; row < votes.rows(); ++row)
    for (std::size_t k = votes.first_annotation(row); k < votes.first_annotation(row + 1); ++k) {
      if (votes.annotator(k) != 0) continue;
      const auto at = static_cast<std::uint32_t>(row);
      said.annotate(at, 8);
      for (const std::uint32_t l : votes.ticked(k)) said.tick(at, 8, l);
      for (const std::uint32_t l : votes.unsure(k)) said.unsure(at, 8, l);
    }
  const Votes copied = said.finish(votes.rows(), names(9));
  ThreadPool pool(2);
  const CrowdModel model = fit_crowd({&copied, kLabels, nullptr}, pool);
  ASSERT_FALSE(model.alike().empty());
  EXPECT_EQ(model.alike()[0].a, 0u);
  EXPECT_EQ(model.alike()[0].b, 8u);
  EXPECT_NEAR(model.alike()[0].correlation, 1, 1e-9);
}

// Two annotators agree on label 0 wherever both speak of it.
TEST(UnsureVotes, are_left_out_of_agreement) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < 40; ++row) {
    for (std::uint32_t who = 0; who < 2; ++who) {
      said.annotate(row, who);
      if (row % 2 == 0) said.tick(row, who, 0);
    }
    if (row % 4 == 0) said.unsure(row, 1, 0);
  }
  const Votes votes = said.finish(40, names(2));
  ThreadPool pool(2);
  const Agreement found = measure_agreement(votes, 2, pool, {.resamples = 100});
  ASSERT_TRUE(found.labels[0].alpha.value);
  EXPECT_EQ(*found.labels[0].alpha.value, 1);
  EXPECT_EQ(*found.labels[0].pairwise.value, 1);
  EXPECT_EQ(found.labels_ticked[0], 10u);
  // Label sets are those of annotations without an unsure vote.
  EXPECT_EQ(*found.masi_similarity.value, 1);
  ASSERT_EQ(found.pairs.size(), 1u);
  EXPECT_EQ(found.pairs[0].rows, 30u);
}

TEST(UnsureVotes, on_every_row_leave_nothing_to_agree_on) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < 20; ++row) {
    said.tick(row, 0, row % 2), said.tick(row, 1, 1);
    said.unsure(row, 1, 0);
  }
  ThreadPool pool(1);
  const Agreement found = measure_agreement(said.finish(20, names(2)), 2, pool, {.resamples = 50});
  EXPECT_FALSE(found.labels[0].alpha.value);
  EXPECT_NE(found.labels[0].alpha.why, "");
  EXPECT_FALSE(found.masi_alpha.value);
  EXPECT_NE(found.masi_alpha.why, "");
  EXPECT_TRUE(found.labels[1].pairwise.value);
}

// ---- programs ----------------------------------------------------------------------------------

// Two copies of a bad program outvote people unless they count once; the declaration is enough.
TEST(ProgramVotes, of_one_group_count_once_together) {
  const SimulatedCrowd all = simulate_crowd(
      {.rows = 800, .annotators = 6, .labels = kLabels, .annotations = 3, .seed = 9});
  VoteCollector said;
  said.add(all.votes, 0, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});
  for (std::uint32_t row = 0; row < 800; ++row)
    for (std::uint32_t program = 6; program < 11; ++program) {
      said.annotate(row, program);
      // All five share most of their mistakes, and each has some of its own.
      for (std::uint32_t l = 0; l < kLabels; ++l) {
        Random shared(3, Purpose::Test, row, l), own(4, Purpose::Bootstrap, row, program * 10 + l);
        const bool tick = all.truth.get(row, l) ? shared.uniform() < 0.6 : shared.uniform() < 0.3;
        if (tick != (own.uniform() < 0.12)) said.tick(row, program, l);
      }
    }
  Votes votes = said.finish(800, names(11));
  const LabelMatrix among = all.votes.any_tick(kLabels);
  ThreadPool pool(2);
  const auto area = [&] {
    return area_among(aggregate(votes, kLabels, Aggregation::CrowdModel, pool), all.truth, among);
  };
  const double people =
      area_among(aggregate(all.votes, kLabels, Aggregation::CrowdModel, pool), all.truth, among);
  const double as_people = area();
  std::vector<std::uint8_t> programs(11);
  std::fill(programs.begin() + 6, programs.end(), std::uint8_t{1});
  votes.declare({}, programs);
  const double as_programs = area();
  EXPECT_GT(as_programs, as_people + 0.02);
  EXPECT_GT(as_programs, people - 0.02);
}

}  // namespace
}  // namespace sieve
