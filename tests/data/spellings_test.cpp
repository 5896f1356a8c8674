#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "csv_support.h"
#include "data/formats.h"
#include "data/recipe/recipe.h"
#include "data/recipe/table.h"
#include "labelsieve/data_io.h"
#include "support/support.h"

// How numbers were written, kept for the table to be written again.
namespace sieve {
namespace {

using test::TempFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> row_of(const Spellings& spellings, std::size_t row) {
  std::vector<std::string> found;
  spellings.for_each(row, [&](std::size_t column, std::string_view text) {
    found.push_back(std::to_string(column) + ":" + std::string(text));
  });
  return found;
}

TEST(Spellings, are_found_by_row_after_they_were_stacked_and_selected) {
  Spellings top, bottom;
  top.add(1, 0, "007");
  top.add(1, 300, std::string(200, '0'));
  bottom.add(0, 2, "1e2");
  bottom.add(2, 1, "+5");
  top.append(bottom, 2);
  EXPECT_THAT(row_of(top, 0), IsEmpty());
  EXPECT_THAT(row_of(top, 1), ElementsAre("0:007", "300:" + std::string(200, '0')));
  EXPECT_THAT(row_of(top, 2), ElementsAre("2:1e2"));
  EXPECT_THAT(row_of(top, 4), ElementsAre("1:+5"));
  const std::vector<std::size_t> rows = {4, 0, 1};
  const Spellings some = top.select_rows(rows);
  EXPECT_THAT(row_of(some, 0), ElementsAre("1:+5"));
  EXPECT_THAT(row_of(some, 1), IsEmpty());
  EXPECT_EQ(row_of(some, 2).size(), 2U);
}

TEST(Spellings, of_the_shortest_decimal_are_not_needed) {
  EXPECT_TRUE(is_spelling_of("0.1", 0.1F));
  EXPECT_TRUE(is_spelling_of("-3", -3));
  for (const char* other : {"0.10", ".1", "+0.1", "1e-1", "0.1000000014901161"})
    EXPECT_FALSE(is_spelling_of(other, 0.1F)) << other;
}

class Copies : public ::testing::Test {
 protected:
  // What a copy of the file becomes, as the command writes it.
  std::string copy(const std::string& from, const std::string& text, const std::string& to) {
    test::write_file(folder_ / from, text);
    options_.keep_cells = true;
    WriteOptions writing;
    writing.if_exists = IfExists::Replace;
    write_dataset(read_dataset({folder_ / from}, options_), folder_ / to, writing);
    return test::read_file(folder_ / to);
  }

  TempFolder folder_;
  ReadOptions options_;
};

constexpr const char* kNumbers =
    "user,code,price,label:x\n1700000011,0012,123456789.123,1\n1700000012,12,2.50,0\n5,+1,1e2,0\n";

TEST_F(Copies, of_numbers_have_them_as_they_came) {
  EXPECT_EQ(copy("x.csv", kNumbers, "y.csv"), kNumbers);
  EXPECT_EQ(copy("x.csv", kNumbers, "y.jsonl"),
            "{\"user\":1700000011,\"code\":\"0012\",\"price\":123456789.123,\"label:x\":1}\n"
            "{\"user\":1700000012,\"code\":12,\"price\":2.50,\"label:x\":0}\n"
            "{\"user\":5,\"code\":\"+1\",\"price\":1e2,\"label:x\":0}\n");
}

TEST_F(Copies, of_a_table_with_text_and_gaps_have_its_numbers_as_they_came) {
  const std::string text =
      "user,colour,price,label:x\n1700000011,red,2.50,1\n1700000012,red,,0\n007,\"a, b\",.5,0\n"
      "8,\"a, b\",1,1\n";
  EXPECT_EQ(copy("x.csv", text, "y.csv"), text);
}

TEST_F(Copies, of_json_lines_have_the_numbers_as_they_came) {
  const std::string text =
      "{\"n\":1.0,\"v\":[1700000011,0.10],\"skip\":{\"a\":[7,8]},\"t\":\"1, \\\"2\\\"\","
      "\"m\":12345678901,\"label:x\":1}\n"
      "{\"n\":2,\"v\":[3,4e5],\"skip\":9,\"t\":\"1, \\\"2\\\"\",\"m\":null,\"label:x\":0}\n";
  options_.table.ignore = {"skip"};
  EXPECT_EQ(copy("x.jsonl", text, "y.jsonl"),
            "{\"n\":1.0,\"v[0]\":1700000011,\"v[1]\":0.10,\"t\":\"1, \\\"2\\\"\","
            "\"m\":12345678901,\"label:x\":1}\n"
            "{\"n\":2,\"v[0]\":3,\"v[1]\":4e5,\"t\":\"1, \\\"2\\\"\",\"m\":null,\"label:x\":0}\n");
  EXPECT_THAT(copy("x.jsonl", text, "y.csv"), HasSubstr("\n1.0,1700000011,0.10,"));
}

TEST_F(Copies, with_decimal_commas_get_points_and_keep_every_digit) {
  options_.table.decimal = ',';
  options_.table.thousands = '.';
  EXPECT_EQ(copy("x.csv", "a;b;label:x\n1.700.000.011;1,50;1\n5;0012,5;0\n", "y.csv"),
            "a,b,label:x\n1700000011,1.50,1\n5,0012.5,0\n");
}

TEST_F(Copies, of_chosen_rows_and_of_several_files_keep_them_in_their_rows) {
  test::write_file(folder_ / "a.csv", "u,label:x\n1700000011,1\n2,0\n");
  test::write_file(folder_ / "b.csv", "u,label:x\n3,1\n1700000014,0\n");
  options_.keep_cells = true;
  const Dataset data = read_dataset({folder_ / "a.csv", folder_ / "b.csv"}, options_);
  const std::vector<std::size_t> rows = {3, 0};
  write_dataset(data.select_rows(rows), folder_ / "y.csv");
  EXPECT_EQ(test::read_file(folder_ / "y.csv"), "u,label:x\n1700000014,0\n1700000011,1\n");
}

TEST_F(Copies, do_not_depend_on_the_number_of_threads) {
  std::string text = "a,b,label:x\n";
  for (int i = 0; i < 40000; ++i)
    text += "17000000" + std::to_string(10000 + i) + ",0" + std::to_string(i % 90) + ",1\n" +
            (i % 1000 == 0 ? "\n" : "");
  const std::string alone = copy("x.csv", text, "y.csv");
  ThreadPool pool(3);
  options_.threads = &pool;
  EXPECT_EQ(copy("x.csv", text, "z.csv"), alone);
  std::string without_blank_lines = text;
  for (std::size_t at = 0; (at = without_blank_lines.find("\n\n", at)) != std::string::npos;)
    without_blank_lines.erase(at, 1);
  EXPECT_EQ(alone, without_blank_lines);
}

// ---- categories ---------------------------------------------------------------------------------

TEST_F(Copies, json_keeps_signs_and_points_that_its_numbers_cannot_have) {
  const std::string text = "id,kind,label:x\na,+1,1\nb,1,0\nc,1.,0\nd,.5,1\n";
  const std::string json = copy("x.csv", text, "y.jsonl");
  EXPECT_THAT(json, AllOf(HasSubstr("\"+1\""), HasSubstr("\"1.\""), HasSubstr("\".5\"")));
  EXPECT_EQ(copy("y.jsonl", json, "z.csv"), text);
}

TEST(Categories, are_compared_as_they_are_written) {
  ReadOptions options;
  options.table.category = {"zip"};
  const std::string csv =
      "zip,label:x\n01234,1\n1234,1\n1e2,0\n100,0\n1700000011,1\n1700000012,0\n";
  EXPECT_THAT(test::from_csv(csv, options).feature_names,
              ElementsAre("zip=01234", "zip=100", "zip=1234", "zip=1700000011", "zip=1700000012",
                          "zip=1e2"));
}

TEST(Categories, of_a_column_that_is_mostly_text_have_numbers_as_they_are_written) {
  const Dataset data =
      test::from_csv("code,label:x\nA1,1\nA1,1\n01234,0\n1234,0\nB2,1\nB2,0\n1700000011,1\nB2,0\n");
  EXPECT_THAT(data.feature_names,
              ElementsAre("code=01234", "code=1234", "code=1700000011", "code=A1", "code=B2"));
}

TEST(Categories, ask_where_much_of_a_column_of_text_is_numbers) {
  std::string text = "code,label:x\n";
  for (int i = 0; i < 60000; ++i) text += "A1,1\n";
  for (int i = 0; i < 40000; ++i) text += "01234,1\n";
  const std::string message = test::refusal([&] { test::from_csv(text); });
  EXPECT_THAT(message, HasSubstr("column 'code' holds texts here and numbers there"));
  EXPECT_THAT(message, HasSubstr("table.category=code"));
}

TEST(Categories, ask_where_one_file_of_a_set_has_numbers_and_another_texts) {
  const TempFolder folder;
  test::write_file(folder / "a.csv", "code,label:x\n01234,1\n1234,0\n");
  test::write_file(folder / "b.csv", "code,label:x\nA1,1\nA1,0\nA1,1\nA1,0\n");
  const auto read = [&](const ReadOptions& options) {
    return read_dataset({folder / "a.csv", folder / "b.csv"}, options);
  };
  EXPECT_THAT(test::refusal([&] { read({}); }), HasSubstr("texts here and numbers there"));
  ReadOptions options;
  options.table.category = {"code"};
  EXPECT_THAT(read(options).feature_names, ElementsAre("code=01234", "code=1234", "code=A1"));
}

TEST(Categories, of_json_lines_are_the_text_of_their_numbers) {
  const std::string text =
      "{\"u\":1700000011,\"skip\":[1,2],\"label:x\":1}\n{\"u\":\"01\",\"skip\":[3,4],\"label:x\":0}"
      "\n"
      "{\"u\":1.0,\"skip\":[5,6],\"label:x\":0}\n{\"u\":1700000012,\"skip\":[5,6],\"label:x\":0}\n";
  ReadOptions options;
  options.table.category = {"u"};
  options.table.ignore = {"skip"};
  test::MemoryInput in(text);
  EXPECT_THAT(with_features(read_jsonl_raw(in, "t.jsonl", options), options).feature_names,
              ElementsAre("u=01", "u=1.0", "u=1700000011", "u=1700000012"));
}

}  // namespace
}  // namespace sieve
