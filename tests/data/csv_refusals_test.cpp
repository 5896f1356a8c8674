#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "csv_support.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::from_csv;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal_of(std::string text, const ReadOptions& options = {}, int expected_code = 3) {
  int code = 0;
  std::string message = test::refusal([&] { from_csv(std::move(text), options); }, &code);
  EXPECT_EQ(code, expected_code) << message;
  return message;
}

std::string repeated(std::size_t count, const std::string& piece) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

ReadOptions all_labels() {
  ReadOptions options;
  options.labels.all = true;
  return options;
}

TEST(CsvRefusals, empty_file_and_header_only) {
  EXPECT_THAT(refusal_of(""), StartsWith("t.csv: the file is empty"));
  EXPECT_THAT(refusal_of("\n \n"), StartsWith("t.csv: the file is empty"));
  EXPECT_THAT(refusal_of("a,label:x\n"),
              StartsWith("t.csv: there is a line of names but no row of data"));
}

TEST(CsvRefusals, utf16_and_nul_bytes) {
  EXPECT_THAT(refusal_of(std::string("\xFF\xFE"
                                     "1\0,\0",
                                     6)),
              HasSubstr("this is UTF-16 text"));
  EXPECT_THAT(refusal_of(std::string("a,label:x\n1,\0\n", 14)), StartsWith("t.csv:2: a NUL byte"));
}

TEST(CsvRefusals, ragged_rows_with_line_and_counts) {
  EXPECT_THAT(refusal_of("a,b,label:x\n1,2,0\n1,0\n"),
              StartsWith("t.csv:3: this row has 2 fields, but 3 were expected"));
  EXPECT_THAT(refusal_of("a,b,label:x\n1,2,0,4\n"),
              StartsWith("t.csv:2: this row has 4 fields, but 3 were expected"));
  EXPECT_THAT(refusal_of("a,label:x\n\n\n7\n"),
              StartsWith("t.csv:4: this row has 1 field, but 2 were expected"));
  EXPECT_THAT(refusal_of("\"a\nb\",label:x\n1,0\n\"1\n"), StartsWith("t.csv:4:1: a quoted cell"));
}

TEST(CsvRefusals, features_that_are_not_finite_numbers) {
  const auto second = [](const std::string& cell) {
    return refusal_of("a,b,label:x\n1,2,0\n1," + cell + ",0\n");
  };
  EXPECT_THAT(second("inf"), StartsWith("t.csv:3:3: 'inf' is not a finite number in column 'b'"));
  EXPECT_THAT(second("-inf"), StartsWith("t.csv:3:3: '-inf' is not a finite number"));
  EXPECT_THAT(second("1e400"), StartsWith("t.csv:3:3: '1e400' is too large for a 32-bit number"));
  EXPECT_THAT(second("\"1,5\""), StartsWith("t.csv:3:3: '1,5' is not a number"));
  EXPECT_THAT(second("\"1,5\""), HasSubstr("for a decimal comma give table.decimal=,"));
  EXPECT_THAT(second("0x10"), StartsWith("t.csv:3:3: '0x10' is not a number"));
}

TEST(CsvRefusals, bad_cells_are_counted_and_five_are_shown) {
  const std::string message = refusal_of("a,b,label:x\n" + repeated(20, "1,2,0\n") +
                                         "x,inf,0\ny,2,0\nz,2,0\nu,2,0\nv,2,0\nw,2,0\n");
  EXPECT_THAT(message, StartsWith("t.csv:22:1: 'x' is not a number in column 'a' (and 6 more "
                                  "such cells: 'inf' is not a finite number in column 'b', "
                                  "line 22; 'y' is not a number in column 'a', line 23; "));
  EXPECT_THAT(message, HasSubstr("'u' is not a number in column 'a', line 25; ...)"));
  EXPECT_THAT(message, testing::Not(HasSubstr("'v'")));
}

TEST(CsvRefusals, numbers_alone_are_wanted_where_features_are_streamed_without_a_recipe) {
  test::MemoryInput in("a,b\n1,2\n1,\n");
  ReadOptions options;
  options.labels.optional = true;
  const std::string message = test::refusal(
      [&] { read_csv_features(in, "t.csv", options, 0, [](FeatureBlock&) { return [] {}; }); });
  EXPECT_THAT(message, StartsWith("t.csv:3:3: a value is missing in column 2 ('b')\n  features "
                                  "must be finite numbers: fill in or drop missing values"));
}

TEST(CsvRefusals, a_first_line_of_values_with_one_missing_is_no_header) {
  ReadOptions options;
  options.labels.count = -1;
  for (const char* gap : {"", "nan", "NA"})
    EXPECT_EQ(from_csv(std::string("1,") + gap + ",0\n1,2,0\n", options).rows(), 2U) << gap;
}

TEST(CsvRefusals, labels_that_are_neither_on_nor_off) {
  EXPECT_THAT(
      refusal_of("f,label:x\n1,0\n1,2\n"),
      StartsWith("t.csv:3:3: '2' is not a label value in column 2 ('label:x')\n  labels must "
                 "be 0 or 1"));
  EXPECT_THAT(refusal_of("f,label:x\n1,0.5\n"), HasSubstr("'0.5' is not a label value"));
  EXPECT_THAT(refusal_of("f,label:x\n1,maybe\n"), HasSubstr("'maybe' is not a number"));
  EXPECT_THAT(refusal_of("f,label:x\n1,\n"), StartsWith("t.csv:2:3: a value is missing"));
  EXPECT_THAT(refusal_of("label:x,label:y\n1,0\n1,-1\n-1,1\n"),
              StartsWith("t.csv: label column 'label:y' holds both 0 and -1"));
}

TEST(CsvRefusals, bad_names) {
  EXPECT_THAT(refusal_of("a,,label:x\n1,2,0\n"),
              StartsWith("t.csv:1:3: column 2 has a blank name"));
  EXPECT_THAT(refusal_of("a,a,label:x\n1,2,0\n"),
              HasSubstr("feature 2 has the same name as feature 1"));
  EXPECT_THAT(refusal_of("label:x,label:x\n1,0\n"),
              HasSubstr("label 2 has the same name as label 1"));
  EXPECT_THAT(refusal_of("label:,label:x\n1,0\n"), HasSubstr("label 1 has a blank name"));
  EXPECT_THAT(refusal_of("label:" + std::string(5000, 'x') + "\n1\n"),
              HasSubstr("label 1 has a name of 5000 bytes"));
  EXPECT_THAT(refusal_of("label:x,truth:x\n1,0\n"), HasSubstr("some are not"));
}

TEST(CsvRefusals, bad_quotes) {
  EXPECT_THAT(refusal_of("a,label:x\n1\"2,0\n"),
              StartsWith("t.csv:2:1: a double quote in a cell that does not begin with one"));
  EXPECT_THAT(refusal_of("a,label:x\n\"1\"2,0\n"), StartsWith("t.csv:2:1: text after the closing"));
  EXPECT_THAT(refusal_of("a,label:x\n1,\"0\n1,0\n"),
              StartsWith("t.csv:2:3: a quoted cell begins here"));
  EXPECT_THAT(refusal_of("\"a,label:x\n1,0\n"), StartsWith("t.csv:1:1: a quoted cell begins here"));
}

TEST(CsvRefusals, labels_that_nothing_tells_or_that_are_not_there) {
  const std::string told = "say it with labels.names, labels.prefix, labels.count or labels.column";
  EXPECT_THAT(refusal_of("a,b\n1,0\n"), HasSubstr(told));
  EXPECT_THAT(refusal_of("1,0\n"), HasSubstr(told));
  ReadOptions options;
  options.labels.names = {"colour"};
  EXPECT_THAT(
      refusal_of("a,color\n1,0\n", options, 2),
      HasSubstr("there is no column named 'colour'\n  the nearest name in the file is 'color'"));
  EXPECT_THAT(refusal_of("1,0\n", options, 2), HasSubstr("the file has no line of names"));
  options.labels = {};
  options.labels.prefix = "y_";
  EXPECT_THAT(refusal_of("a,b\n1,0\n", options, 2), HasSubstr("no column name begins with 'y_'"));
  options.labels = {};
  options.labels.count = -3;
  EXPECT_THAT(refusal_of("1,0\n", options, 2),
              HasSubstr("-3 label columns were asked for, but there are only 2 columns"));
  options.labels = {};
  options.labels.column = "tags";
  EXPECT_THAT(refusal_of("f,tags\n1,\n2,\n", options),
              HasSubstr("no row has a label in column 'tags'"));
}

TEST(CsvRefusals, errors_come_in_the_order_of_the_file) {
  std::string text = "a,label:x\n" + repeated(300000, "1.5,0\n");
  text += "1.5,bad\n" + repeated(300000, "1.5,0\n") + "1\n" + '\0';
  ThreadPool pool(3);
  ReadOptions options;
  options.threads = &pool;
  EXPECT_THAT(refusal_of(text, options), StartsWith("t.csv:300002:5: 'bad' is not a number"));
  EXPECT_THAT(refusal_of(text), StartsWith("t.csv:300002:5: 'bad' is not a number"));
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Texts that would make a careless reader take memory or time out of proportion.
TEST(CsvRefusals, hostile_texts_take_little_memory_and_time) {
#ifdef __SANITIZE_ADDRESS__  // it keeps what was freed
  const long most = 1000000;
#else
  const long most = 250000;
#endif
  const long before = peak_kilobytes();
  EXPECT_THAT(refusal_of(repeated(1000000, ",\n"), all_labels()),
              StartsWith("t.csv:1:1: a value is"));
  EXPECT_THAT(refusal_of(std::string(4000000, ',')), HasSubstr("cannot tell which"));
  EXPECT_THAT(refusal_of("a" + std::string(4000000, ',') + "\n1\n"), HasSubstr("has a blank name"));
  EXPECT_THAT(refusal_of("label:x\n1" + std::string(4000000, ',') + "\n"),
              HasSubstr("4000001 fields"));
  EXPECT_THAT(refusal_of("label:x\n\"" + repeated(1000000, "1,0\n")),
              StartsWith("t.csv:2:1: a quoted"));
  EXPECT_THAT(refusal_of("label:x\n" + std::string(4000000, '1')), HasSubstr("is too large"));
  std::string wide = "label:x";
  for (int i = 0; i < 1000; ++i) wide += ",f" + std::to_string(i);
  EXPECT_THAT(refusal_of(wide + "\n" + std::string(4000000, '\n') + "1\n"),
              HasSubstr("has 1 field"));
  const std::string zeros = repeated(500000, "0,") + "0\n";
  EXPECT_EQ(from_csv(zeros, all_labels()).labels(), 500001U);
  EXPECT_LT(peak_kilobytes() - before, most);
}

}  // namespace
}  // namespace sieve
