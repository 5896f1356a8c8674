#include "data/text/numbers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sieve {
namespace {

std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

float parsed(std::string_view text) {
  float value = -77;
  EXPECT_TRUE(parse_float(text, value)) << text;
  return value;
}

bool refused(std::string_view text) {
  float value = 0;
  return !parse_float(text, value);
}

// Both ways to read must give what the standard library gives.
void expect_exact(const std::string& text) {
  float expected = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
  ASSERT_EQ(end, text.data() + text.size()) << text;
  if (error != std::errc{}) return;
  ASSERT_EQ(bits_of(parsed(text)), bits_of(expected)) << text;

  // At the front of a text and further on, with another number beside it and alone.
  for (const std::string front : {"", "00000000000000000,"}) {
    const std::string row = front + text + ",-1.5," + text + ",";
    float scanned[3] = {};
    const char *from = row.data() + front.size(), *last = row.data() + row.size();
    ASSERT_EQ(scan_floats(row.data(), from, last, ',', scanned, 3), last) << text;
    ASSERT_EQ(bits_of(scanned[0]), bits_of(expected)) << text;
    ASSERT_EQ(scanned[1], -1.5F) << text;
    ASSERT_EQ(bits_of(scanned[2]), bits_of(expected)) << text;
  }
}

std::string random_digits(std::mt19937_64& random, std::size_t most) {
  std::string digits(random() % (most + 1), '0');
  for (char& digit : digits) digit = static_cast<char>('0' + random() % 10);
  return digits;
}

std::string random_number(std::mt19937_64& random) {
  const std::size_t most = random() % 8 == 0 ? 30 : 9;
  std::string text = random() % 2 == 0 ? "-" : "";
  const std::string whole = random_digits(random, most);
  text += whole;
  if (whole.empty() || random() % 4 != 0) {
    text += '.' + random_digits(random, most);
    if (whole.empty()) text += '7';
  }
  if (random() % 4 == 0) {
    text += random() % 2 == 0 ? "e" : "E";
    text += std::vector<std::string>{"", "+", "-"}[random() % 3];
    text += std::to_string(random() % (random() % 2 == 0 ? 60 : 10));
  }
  return text;
}

TEST(Numbers, random_decimals_are_rounded_like_from_chars) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 500000; ++i) ASSERT_NO_FATAL_FAILURE(expect_exact(random_number(random)));
}

TEST(Numbers, any_float_written_and_read_is_the_same) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 300000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    std::string text;
    append_float(text, value);
    ASSERT_EQ(bits_of(parsed(text)), bits_of(value)) << text;
    ASSERT_NO_FATAL_FAILURE(expect_exact(text));
  }
}

// Exact middles between two floats, and decimals just beside them.
TEST(Numbers, probabilities_are_written_like_to_chars) {
  const auto expect_same = [](float value) {
    char expected[32];
    std::string text;
    append_float(text, value);
    const char* end = std::to_chars(expected, expected + sizeof expected, value).ptr;
    ASSERT_EQ(text, std::string(static_cast<const char*>(expected), end));
  };
  const auto first = std::bit_cast<std::uint32_t>(0.00009F);
  const auto last = std::bit_cast<std::uint32_t>(1.0F);
  for (std::uint32_t bits = first; bits <= last; bits += 211)
    expect_same(std::bit_cast<float>(bits));
  for (int digits = 1; digits < 20000; ++digits) expect_same(static_cast<float>(digits) / 20000);
  for (float value = 1; value > 1e-5F; value /= 2)
    for (const float part : {1.0F, 1.5F, 1.25F, 1.75F, 1.125F}) expect_same(value * part);
}

TEST(Numbers, halfway_cases_are_rounded_like_from_chars) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 50000; ++i) {
    const auto below = std::bit_cast<float>(static_cast<std::uint32_t>(random() % 0x7F000000U));
    const double middle =
        (static_cast<double>(below) + static_cast<double>(std::nextafter(below, INFINITY))) / 2;
    const std::string exact = fmt::format("{:.170e}", middle);
    const std::size_t exponent = exact.find('e');
    ASSERT_NO_FATAL_FAILURE(expect_exact(exact));
    ASSERT_NO_FATAL_FAILURE(expect_exact(exact.substr(0, exponent) + "1" + exact.substr(exponent)));
    ASSERT_NO_FATAL_FAILURE(expect_exact(fmt::format("{}", middle)));
  }
  for (const char* text : {"16777217", "16777217.0", "33554434.0000001", "9007199254740993",
                           "1.00000005960464477539", "1.00000017881393432617"})
    ASSERT_NO_FATAL_FAILURE(expect_exact(text));
}

TEST(Numbers, takes_every_spelling_of_a_number) {
  EXPECT_EQ(parsed("+1"), 1.0F);
  EXPECT_EQ(parsed(".5"), 0.5F);
  EXPECT_EQ(parsed("5."), 5.0F);
  EXPECT_EQ(parsed("1.000000000000000000e+00"), 1.0F);
  EXPECT_EQ(parsed("0e999999999999"), 0.0F);
  EXPECT_EQ(bits_of(parsed("-0")), bits_of(-0.0F));
  EXPECT_EQ(parsed("1e-45"), std::bit_cast<float>(1U));
}

TEST(Numbers, too_small_becomes_zero_in_every_spelling) {
  EXPECT_EQ(bits_of(parsed("1e-50")), 0U);
  EXPECT_EQ(bits_of(parsed("1E-400")), 0U);
  EXPECT_EQ(bits_of(parsed("-1e-99999999999999999999")), bits_of(-0.0F));
  EXPECT_EQ(bits_of(parsed("0." + std::string(400, '0') + "1")), 0U);
}

TEST(Numbers, refuses_what_is_not_a_finite_number) {
  for (const char* text : {"",
                           "nan",
                           "-nan",
                           "inf",
                           "-inf",
                           "infinity",
                           "1e400",
                           "-1e39",
                           "1,5",
                           "0x10",
                           "1e",
                           "1e+",
                           "--1",
                           "+-1",
                           "-+1",
                           "-",
                           ".",
                           "e5",
                           "1 ",
                           " 1",
                           "1.2.3",
                           "1e5e5",
                           "1e99999999999999999999"})
    EXPECT_TRUE(refused(text)) << text;
  EXPECT_TRUE(refused(std::string(500, '9') + "e-1"));
}

TEST(Numbers, says_why_a_number_is_refused) {
  EXPECT_EQ(number_problem(" "), "a value is missing");
  EXPECT_EQ(number_problem("nan"), "'nan' is not a finite number");
  EXPECT_EQ(number_problem("-inf"), "'-inf' is not a finite number");
  EXPECT_EQ(number_problem("1e400"), "'1e400' is too large for a 32-bit number");
  EXPECT_EQ(number_problem("+1e39"), "'+1e39' is too large for a 32-bit number");
  EXPECT_EQ(number_problem("1,5"), "'1,5' is not a number");
  EXPECT_EQ(number_problem(std::string(50, 'x')),
            "'" + std::string(40, 'x') + "...' is not a number");
}

TEST(Numbers, a_row_that_is_not_plain_numbers_is_left_to_others) {
  const auto scans = [](const std::string& row, std::size_t count) {
    std::vector<float> values(count);
    const char* from = row.data();
    return scan_floats(from, from, from + row.size(), ',', values.data(), count) != nullptr;
  };
  EXPECT_TRUE(scans("1,2.5,-3e2,", 3));
  EXPECT_TRUE(scans("1,2.5,-3e2,4,5,6,7,8,9,10,0.000000000000000000001,12,", 12));
  for (const char* bad : {"1,2", "1,,", "1,\"2\",", "1,2\n3,", "1,x,", "1, 2,", "1;2,", ""})
    EXPECT_FALSE(scans(bad, 2)) << bad;
  for (const char* bad : {".", "-", "1.2.3", "--1", "1-", "123456789012345678901234567890x"})
    EXPECT_FALSE(scans("11111111,2222222222," + std::string(bad) + ",0000000000000000", 3)) << bad;
}

// What the careful way would find, or nothing where that is for it to say.
using Entries = std::vector<std::pair<std::uint32_t, float>>;
std::optional<Entries> scanned_entries(const std::string& text, IndexRange range) {
  std::vector<std::uint32_t> columns(text.size());
  std::vector<float> values(text.size());
  const char* from = text.data();
  const auto count =
      scan_entries(from, from, from + text.size(), range, columns.data(), values.data());
  if (!count) return std::nullopt;
  Entries entries;
  for (std::size_t k = 0; k < *count; ++k) entries.emplace_back(columns[k], values[k]);
  return entries;
}

TEST(Numbers, entries_are_scanned_as_they_are_written) {
  if (!scanned_entries("1:2\n", {1, 9})) GTEST_SKIP() << "this processor has no fast way";
  std::mt19937_64 random(5);
  for (std::size_t length = 1; length < 200; ++length) {
    std::string line;
    Entries expected;
    std::uint32_t index = 0;
    for (std::size_t k = 0; k < length; ++k) {
      index += 1 + static_cast<std::uint32_t>(random() % 3 == 0 ? random() % 2000 : 0);
      std::string text = random() % 9 == 0 ? "0" : random_number(random);
      while (refused(text)) text = random_number(random);  // too large
      const float value = parsed(text);
      line += (k == 0 ? "" : " ") + std::to_string(index) + ":" + text;
      if (bits_of(value) != 0) expected.emplace_back(index, value);
    }
    EXPECT_EQ(scanned_entries(line + "\n7:7\n", {1, index}), expected) << line;
    EXPECT_EQ(scanned_entries(line + "\n", {1, index - 1}), std::nullopt) << line;
    EXPECT_EQ(scanned_entries(line, {1, index}), std::nullopt) << line;  // no end of the line
  }
}

TEST(Numbers, a_line_that_is_not_plain_entries_is_left_to_others) {
  for (const char* bad : {"", "\n", ":1\n", "1\n", "1:\n", "1:2 \n", "1:2  3:4\n", "2:1 1:1\n",
                          "1:1 1:1\n", "0:1\n", "1:1:1\n", "x:1\n", "1:x\n", "1:1\t2:1\n",
                          "1:1\r\n", "4294967297:1\n", "1:nan\n", "-1:1\n", "1:1 2:1 3\n"})
    EXPECT_EQ(scanned_entries(bad, {1, 100}), std::nullopt) << bad;
}

}  // namespace
}  // namespace sieve
