#include "labelsieve/options.h"

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

TEST(Words, run_the_same_again_as_the_caller_would) {
  EXPECT_EQ(rerun({{"ticks.item", "photo"}, {"labels.all", ""}}),
            "ticks.item=photo and labels.all");
  use_rerun([](std::span<const Term> settings) {
    return settings.size() == 1 ? "run " + std::string(settings[0].value) : std::string();
  });
  EXPECT_EQ(rerun({{"ticks.item", "photo"}}), "run photo");
  EXPECT_EQ(rerun({{"a", "b"}, {"c", "d"}}), "a=b and c=d");
  use_rerun(nullptr);
}

}  // namespace
}  // namespace sieve::test
