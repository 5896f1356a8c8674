#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "labelsieve/claims.h"

namespace sieve {
namespace {

TEST(ClaimText, says_what_it_rests_on) {
  EXPECT_EQ(claim_text({.value = 0.28, .low = 0.08, .high = 0.65, .basis = ClaimBasis::Guess}),
            "guess 28 % (8 to 65)");
  EXPECT_EQ(claim_text({.value = 0.47, .low = 0.41, .high = 0.53, .decisions = 120}),
            "audited 47 % (41 to 53), 120 decisions");
  EXPECT_EQ(claim_text({.value = 0.1, .low = 0.1, .high = 0.1, .decisions = 1}),
            "audited 10 % exactly, 1 decision");
}

TEST(ClaimText, rounds_limits_outwards) {
  EXPECT_EQ(claim_text({.value = 0.474, .low = 0.4199, .high = 0.5301, .decisions = 9}),
            "audited 47 % (41 to 54), 9 decisions");
}

TEST(ClaimText, has_a_decimal_where_the_interval_is_narrow) {
  EXPECT_EQ(claim_text({.value = 0.0213, .low = 0.0087, .high = 0.04461, .decisions = 300}),
            "audited 2.1 % (0.8 to 4.5), 300 decisions");
}

TEST(ClaimJson, has_all_fields) {
  EXPECT_EQ(claim_json({.value = 1.0 / 3, .low = 0.25, .high = 0.5, .decisions = 7, .about = "f1"}),
            R"({"about":"f1","value":0.333333333,"low":0.25,"high":0.5,"level":0.9,)"
            R"("truth":"expert","basis":"audit","decisions":7,)"
            R"("text":"audited 33 % (25 to 50), 7 decisions"})");
  EXPECT_THAT(claim_json({.truth = ClaimTruth::Consensus, .basis = ClaimBasis::Guess}),
              testing::AllOf(testing::HasSubstr(R"("truth":"consensus","basis":"guess")"),
                             testing::Not(testing::HasSubstr("decisions"))));
}

TEST(Guess, has_a_range_from_real_and_simulated_crowds) {
  for (const GuessAbout about : {GuessAbout::Noise, GuessAbout::LabelNoise})
    for (const GuessFrom from : {GuessFrom::Votes, GuessFrom::Union}) {
      std::set<std::string_view> crowds;
      for (const ReferenceErrors& one : reference_errors(about, from)) crowds.insert(one.crowd);
      for (const char* real : {"relex", "xray", "brighter", "built-in"})
        EXPECT_TRUE(crowds.contains(real)) << real;
    }
  EXPECT_TRUE(reference_errors(GuessAbout::Recall, GuessFrom::Union).empty());
  EXPECT_FALSE(guess(0.3, {.about = GuessAbout::Recall, .from = GuessFrom::Union}));
}

TEST(Guess, is_about_the_cells_that_nobody_decided) {
  const Claim open = *guess({.cells = 100, .open = 100, .estimated = 30}, {});
  EXPECT_EQ(open.value, 0.3);
  const Claim half = *guess({.cells = 200, .open = 100, .found = 50, .estimated = 30}, {});
  EXPECT_EQ(half.basis, ClaimBasis::Guess);
  EXPECT_NEAR(half.low, (50 + 100 * open.low) / 200, 1e-12);
  EXPECT_NEAR(half.high, (50 + 100 * open.high) / 200, 1e-12);
  const Claim decided = *guess({.cells = 200, .open = 0, .found = 50}, {});
  EXPECT_EQ(claim_text(decided), "audited 25 % exactly, 200 decisions");
  EXPECT_EQ(decided.truth, ClaimTruth::Expert);
  EXPECT_FALSE(guess(PartlyDecided{}, {}));
}

TEST(Guess, is_wide_and_narrows_with_decided_cells) {
  const auto width = [](const GuessBasis& basis, double level = 0.9) {
    const Claim claim = *guess(0.3, basis, level);
    EXPECT_EQ(claim.basis, ClaimBasis::Guess);
    EXPECT_EQ(claim.value, 0.3);
    EXPECT_LT(claim.low, 0.3);
    EXPECT_GT(claim.high, 0.3);
    return claim.high - claim.low;
  };
  EXPECT_GT(width({}), 0.3);
  EXPECT_LT(width({.gold = 30}), width({}) / 2);
  EXPECT_GT(width({.error = 1}), width({}));
  EXPECT_GT(width({}, 0.99), width({}));
  EXPECT_GT(width({.from = GuessFrom::Union}), width({})) << "names tell something";
}

TEST(Guess, is_the_same_from_crowds_and_from_their_errors) {
  const std::vector<ReferenceCrowd> crowds = {
      {"a", {0.2, 0.5}, {0.3, 0.2}}, {"b", {0.2}, {0.3}}, {"c", {0.7, 0.1, 0.4}, {0.2, 0.1, 0.6}}};
  std::vector<ReferenceErrors> errors;
  for (const ReferenceCrowd& crowd : crowds) errors.push_back(errors_of(crowd));
  for (const char* without : {"", "a", "c"})
    EXPECT_DOUBLE_EQ(guess_spread(std::span<const ReferenceErrors>(errors), without, 0.9).deviation,
                     guess_spread(std::span<const ReferenceCrowd>(crowds), without, 0.9).deviation);
}

TEST(GoldEvidence, counts_a_sample_of_each_label_by_its_size) {
  const std::vector<std::size_t> even{100, 100, 100}, gold{30, 30, 30};
  const std::vector<double> shifts{0.1, 0.0, -0.1};
  EXPECT_EQ(gold_evidence(even, gold, shifts).cells, 90u);
  EXPECT_NEAR(gold_evidence(even, gold, shifts).shift, 0, 1e-12);
  // One label has nearly all candidates, so that its 30 cells are nearly all that counts.
  const GoldEvidence uneven = gold_evidence(std::vector<std::size_t>{9800, 100, 100}, gold, shifts);
  EXPECT_EQ(uneven.cells, 31u);
  EXPECT_NEAR(uneven.shift, 0.097, 1e-12);
  // Of two labels nothing was decided.
  EXPECT_EQ(gold_evidence(even, std::vector<std::size_t>{30, 0, 0}, shifts).cells, 4u);
  EXPECT_EQ(gold_evidence(even, std::vector<std::size_t>{0, 0, 0}, shifts).cells, 0u);
}

TEST(Guess, covers_the_estimate_and_what_decided_cells_say) {
  const GuessBasis basis{.gold = 360};
  const Claim alone = *guess(0.3, basis);
  for (const double shift : {0.15, -0.15}) {
    GuessBasis moved = basis;
    moved.shift = shift;
    const Claim both = *guess(0.3, moved), there = *guess(0.3 + shift, basis);
    EXPECT_EQ(both.value, 0.3);
    EXPECT_LE(both.low, std::min(alone.low, there.low) + 0.01);
    EXPECT_GE(both.high, std::max(alone.high, there.high) - 0.01);
    EXPECT_LT(both.high - both.low, alone.high - alone.low + 0.16);
  }
}

TEST(SampleClaim, is_exact_for_a_simple_sample) {
  const Claim none = sample_claim({0, 20, 2000}, 0.9, "mistakes");
  EXPECT_EQ(claim_text(none), "audited 0 % (0 to 14), 20 decisions");
  const Claim all = sample_claim({3, 20, 20}, 0.9, "mistakes");
  EXPECT_EQ(claim_text(all), "audited 15 % exactly, 20 decisions");
}

TEST(CorrectedClaim, allows_for_errors_of_reviewers) {
  const Claim plain{.value = 0.1, .low = 0.05, .high = 0.17, .decisions = 120};
  const Claim corrected = corrected_claim(plain, correct_for_reviewers({0.05, 0.17}, 2, 20));
  EXPECT_LT(corrected.value, plain.value);
  EXPECT_LT(corrected.low, plain.low);
  EXPECT_LE(corrected.low, corrected.value);
  EXPECT_GE(corrected.high, corrected.value);
  EXPECT_EQ(corrected.decisions, 120u);
}

}  // namespace
}  // namespace sieve
