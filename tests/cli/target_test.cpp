#include "learning.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

using Target = Learning;

TEST_F(Target, one_that_is_not_there_is_refused) {
  const Ran ran = sieve({"inspect", "crowd.arff"}, {.set = {{"SIEVE_TARGET", "abacus"}}});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("SIEVE_TARGET: 'abacus'"));
  EXPECT_THAT(ran.err, HasSubstr("plain"));
}

// What a processor without vectors would do.
TEST_F(Target, the_plain_one_trains_the_same_model) {
  ASSERT_EQ(train("wide.model").code, 0);
  const Ran ran = sieve(joined({"train", "crowd.arff", "--out", "plain.model"}, quick()),
                        {.set = {{"SIEVE_TARGET", "plain"}}});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read("plain.model"), read("wide.model"));
}

}  // namespace
}  // namespace sieve::test
