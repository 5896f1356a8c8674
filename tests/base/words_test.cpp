#include "labelsieve/words.h"

#include <gtest/gtest.h>

namespace sieve::test {
namespace {

TEST(Words, are_those_of_the_library_until_someone_has_others) {
  EXPECT_EQ(term("resume_from"), "resume_from");
  EXPECT_EQ(term("labels.count", "-3"), "labels.count=-3");
  use_words([](const Term& term) { return "<" + std::string(term.name) + ">"; });
  EXPECT_EQ(term("resume_from"), "<resume_from>");
  use_words(nullptr);
  EXPECT_EQ(term("resume_from"), "resume_from");
}

}  // namespace
}  // namespace sieve::test
