#include "base/team_work.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "labelsieve/error.h"
#include "support/local_ranks.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::run_ranks;

// Numbers of such different size that every other order of adding gives other bits.
std::vector<float> numbers(std::size_t rank, std::size_t count) {
  Random random(rank, Purpose::Test);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(std::exp(random.uniform(-20, 20)) * random.uniform(-1, 1));
  return values;
}

TEST(TeamWork, sums_are_a_binary_tree_over_the_ranks) {
  for (const std::size_t count : {1U, 2U, 7U, 1000U}) {
    std::vector<std::vector<float>> each;
    for (std::size_t rank = 0; rank < 4; ++rank) each.push_back(numbers(rank, count));
    run_ranks(4, [&](Team& team) {
      std::vector<float> values = each[team.rank()], room(count);
      sum_ranks<float>(team, values, room);
      for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(values[i], (each[0][i] + each[1][i]) + (each[2][i] + each[3][i]));
    });
  }
}

TEST(TeamWork, every_rank_gathers_what_all_ranks_have) {
  for (const std::size_t size : {1U, 2U, 4U, 8U})
    run_ranks(size, [&](Team& team) {
      const std::vector<double> all = gathered(team, 0.5 + static_cast<double>(team.rank()));
      ASSERT_EQ(all.size(), size);
      for (std::size_t rank = 0; rank < size; ++rank)
        EXPECT_EQ(all[rank], 0.5 + static_cast<double>(rank));
    });
}

TEST(TeamWork, the_text_of_rank_0_reaches_every_rank) {
  run_ranks(4, [](Team& team) {
    EXPECT_EQ(from_first_rank(team, team.rank() == 0 ? "from 0" : "other"), "from 0");
    EXPECT_EQ(from_first_rank(team, ""), "");
  });
}

TEST(TeamWork, a_rank_that_leaves_is_found_lost_by_those_that_wait) {
  int code = 0;
  EXPECT_EQ(test::refusal(
                [] {
                  run_ranks(2, [](Team& team) {
                    if (team.rank() == 0) gathered(team, 1);
                  });
                },
                &code),
            "rank 1 is lost");
  EXPECT_EQ(code, 5);
}

}  // namespace
}  // namespace sieve
