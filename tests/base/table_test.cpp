#include "base/table.h"

#include <gtest/gtest.h>

#include "labelsieve/error.h"

namespace sieve {
namespace {

TEST(TextTable, lines_up_columns_of_any_script) {
  TextTable table({"name", "rows"}, {Align::Left, Align::Right});
  table.add({"café", "7"});
  table.add({"a", "1234"});
  EXPECT_EQ(table.text(), "name  rows\n────  ────\ncafé     7\na     1234\n");
}

TEST(TextTable, fills_short_rows_and_leaves_no_blanks_at_line_ends) {
  TextTable table({"a", "b"});
  table.add({"x"});
  EXPECT_EQ(table.text(), "a  b\n─  ─\nx\n");
}

TEST(Text, is_shortened_by_columns_not_bytes) {
  EXPECT_EQ(shortened("naïve", 5), "naïve");
  EXPECT_EQ(shortened("naïve", 4), "naï…");
  EXPECT_EQ(shortened("naïve", 1), "…");
  EXPECT_EQ(shortened("naïve", 0), "");
}

TEST(Text, what_could_steer_a_terminal_is_written_out) {
  EXPECT_EQ(visible("\x1b[2J\a\x7f"), "\\x1b[2J\\x07\\x7f");
  EXPECT_EQ(visible("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(visible("a\nb\tc\r", "\n\t"), "a\nb\tc\\r");
  EXPECT_EQ(visible("\u009b1m"), "\\xc2\\x9b1m");
  EXPECT_EQ(visible("\u202eevil"), "\\xe2\\x80\\xaeevil");
  EXPECT_EQ(visible("\x9b\xe4\xb8"), "\\x9b\\xe4\\xb8");  // no UTF-8
  EXPECT_EQ(visible("né 語 😀"), "né 語 😀");
  EXPECT_EQ(display_width("\x1b"), 4U);
  EXPECT_EQ(shortened("\x1b[2J", 3), "\\x\u2026");
  TextTable table({"\x1b[1m"});
  table.add({"a\nb"});
  EXPECT_EQ(table.text(), "\\x1b[1m\n───────\na\\nb\n");
}

TEST(Text, bars_grow_in_eighths_and_survive_any_share) {
  EXPECT_EQ(bar(0.5, 4), "██");
  EXPECT_EQ(bar(1.0 / 16, 4), "▎");
  EXPECT_EQ(bar(2, 3), "███");
  EXPECT_EQ(bar(-1, 3), "");
  EXPECT_EQ(bar(0.7, 0), "");
  EXPECT_EQ(bar(0.0 / 0.0, 3), "");
}

TEST(Error, says_what_where_and_what_to_do) {
  const Error error(Failure::Data, "a value is missing", {"yeast.arff", 12, 7}, "fill it in");
  EXPECT_STREQ(error.what(), "yeast.arff:12:7: a value is missing\n  fill it in");
  EXPECT_EQ(error.exit_code(), 3);
  EXPECT_EQ(to_string(Place{"f", 3, 0}), "f:3");
  EXPECT_EQ(to_string(Place{}), "");
}

}  // namespace
}  // namespace sieve
