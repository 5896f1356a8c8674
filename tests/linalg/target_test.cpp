#include "linalg/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labelsieve/error.h"
#include "support/targets.h"

namespace sieve {
namespace {

TEST(Target, the_plain_one_is_always_there_and_comes_last) {
  EXPECT_EQ(targets().back(), "plain");
}

TEST(Target, what_was_asked_for_is_in_use) {
  test::with_each_target([](const std::string& name) { EXPECT_EQ(target(), name); });
}

TEST(Target, one_that_is_not_there_is_refused_with_those_that_are) {
  try {
    use_target("abacus");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Failure::Usage);
    EXPECT_THAT(error.what(), testing::HasSubstr("abacus"));
    EXPECT_THAT(error.what(), testing::HasSubstr("plain"));
  }
}

}  // namespace
}  // namespace sieve
