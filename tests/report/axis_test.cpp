#include "report/canvas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sieve::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(Axis, maps_the_ends_of_the_range_to_the_ends_of_the_line) {
  const Axis axis({2, 6}, 100, 20);
  EXPECT_DOUBLE_EQ(axis.at(2), 100);
  EXPECT_DOUBLE_EQ(axis.at(6), 20);
  EXPECT_DOUBLE_EQ(axis.at(4), 60);
}

TEST(Axis, ticks_are_round_and_written_alike) {
  const Axis axis({0.13, 0.29}, 0, 100);
  EXPECT_THAT(axis.ticks(4),
              ElementsAre(DoubleNear(0.15, 1e-9), DoubleNear(0.2, 1e-9), DoubleNear(0.25, 1e-9)));
  EXPECT_EQ(axis.tick_text(0.2, 4), "0.20");
  const Axis around({-1, 1}, 0, 100);
  EXPECT_EQ(around.tick_text(around.ticks(4)[2], 4), "0.0");
}

TEST(Axis, an_empty_range_and_a_single_value_have_a_place) {
  EXPECT_DOUBLE_EQ(Axis(Range{}, 0, 100).at(0.5), 50);
  EXPECT_DOUBLE_EQ(Axis({3, 3}, 0, 100).at(3), 50);
  EXPECT_DOUBLE_EQ(Axis({0, 0}, 0, 100).at(0), 50);
  EXPECT_DOUBLE_EQ(Axis({5, 5}, 0, 100, Axis::Kind::Log).at(5), 50);
}

TEST(Axis, a_log_axis_has_powers_of_ten_or_its_ends) {
  const Axis axis({0.1, 1000}, 0, 100, Axis::Kind::Log);
  EXPECT_DOUBLE_EQ(axis.at(10), 50);
  EXPECT_EQ(axis.ticks(4).size(), 5U);
  EXPECT_EQ(Axis({2, 7}, 0, 1, Axis::Kind::Log).ticks(4).size(), 2U);
  EXPECT_FALSE(axis.shows(0));
  EXPECT_FALSE(axis.shows(-1));
}

TEST(Axis, values_that_no_axis_can_show_do_not_count) {
  Range range;
  for (const double value :
       {1.0, static_cast<double>(NAN), static_cast<double>(INFINITY), 1e305, -2.0})
    range.include(value);
  EXPECT_EQ(range.low, -2);
  EXPECT_EQ(range.high, 1);
  EXPECT_FALSE(Axis(range, 0, 1).shows(1e305));
}

}  // namespace
}  // namespace sieve::test
