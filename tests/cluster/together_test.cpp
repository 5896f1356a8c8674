#include <gtest/gtest.h>

#include <array>
#include <string>

#include "cluster/ranks.h"
#include "support/local_ranks.h"
#include "support/support.h"

namespace sieve::test {
namespace {

TEST(Together, a_failure_on_one_rank_is_known_to_all) {
  std::array<std::string, 2> told;
  run_ranks(2, [&](Team& team) {
    std::optional<Error> elsewhere;
    const std::string here = refusal([&] {
      elsewhere = together(team, [&] {
        if (team.rank() == 1) throw Error(Failure::Data, "no data");
      });
    });
    told[team.rank()] = elsewhere ? elsewhere->what() : here;
  });
  EXPECT_EQ(told[0], "rank 1 cannot go on: no data");
  EXPECT_EQ(told[1], "no data");
}

TEST(Together, all_go_on_where_nothing_fails) {
  run_ranks(2, [](Team& team) { EXPECT_FALSE(together(team, [] {}).has_value()); });
}

}  // namespace
}  // namespace sieve::test
