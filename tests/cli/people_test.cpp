#include <nlohmann/json.hpp>

#include "cli.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

class People : public Cli {
 protected:
  People() {
    sieve({"synth", "--rows", "300", "--labels", "5", "--noise", "1.5", "--out", "crowd.csv",
           "--ticks", "ticks.csv"});
  }
};

TEST_F(People, are_listed_with_their_rates) {
  const Ran ran = sieve({"people", "--ticks", "ticks.csv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("300 rows, 5 labels, 9 people, 900 looks"));
  const nlohmann::json told =
      nlohmann::json::parse(sieve({"people", "--ticks", "ticks.csv", "--json"}).out);
  ASSERT_EQ(told["people"].size(), 9U);
  for (const auto& person : told["people"]) {
    EXPECT_LT(person["sensitivity"]["low"], person["sensitivity"]["value"]);
    EXPECT_GT(person["sensitivity"]["value"], person["false_ticks"]["value"]);
  }
  EXPECT_THAT(sieve({"people", "--ticks", "ticks.csv", "--top", "2"}).out, HasSubstr("(7 more)"));
}

TEST_F(People, are_refused_without_ticks) {
  EXPECT_EQ(sieve({"people"}).code, 2);
  const Ran ran = sieve({"people", "crowd.csv"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("give the ticks with --ticks"));
}

TEST_F(People, together_are_better_than_a_majority) {
  const auto f1 = [&](const std::string& how) {
    const Ran ran = sieve({"aggregate", "--ticks", "ticks.csv", "--how", how, "--out", how});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const Ran measured = sieve(
        {"evaluate", "--truth", "crowd.csv", "--scores", how, "--threshold", "0.5", "--json"});
    EXPECT_EQ(measured.code, 0) << measured.err;
    return nlohmann::json::parse(measured.out)["measures"]["micro-f1"]["value"].get<double>();
  };
  EXPECT_GT(f1("people"), f1("majority"));
  for (const char* how : {"dawid-skene", "one-coin", "at-least", "share", "union"})
    EXPECT_GT(f1(how), 0.3) << how;
}

TEST_F(People, do_not_overwrite_an_answer) {
  write("likely.csv", "mine");
  EXPECT_EQ(sieve({"aggregate", "--ticks", "ticks.csv", "--out", "likely.csv"}).code, 5);
  EXPECT_EQ(read("likely.csv"), "mine");
}

}  // namespace
}  // namespace sieve::test
