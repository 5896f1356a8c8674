#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sieve
