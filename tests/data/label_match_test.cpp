#include "labelsieve/data_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MatchColumns, goes_by_name_else_by_order_where_one_side_has_no_names) {
  EXPECT_THAT(match_columns({"a", "b"}, {"b", "a"}, "x"), ElementsAre(1, 0));
  EXPECT_THAT(match_columns({"a", "b"}, {"0", "1"}, "x"), ElementsAre(0, 1));
  EXPECT_THAT(match_columns({"a", "b"}, {}, "x"), ElementsAre(0, 1));
}

TEST(MatchColumns, refuses_names_that_do_not_fit) {
  EXPECT_THAT(refusal([] {
                match_columns({"a", "b"}, {"b", "c"}, "x.csv");
              }),
              HasSubstr("x.csv: no column for the label 'a'"));
  EXPECT_THAT(refusal([] {
                match_columns({"2", "1"}, {"0", "1"}, "x.csv");
              }),
              HasSubstr("no column for the label '2'"));
  EXPECT_THAT(refusal([] {
                match_columns({"a"}, {"a", "b"}, "x.csv");
              }),
              HasSubstr("the file has 2 label columns, the data 1 labels"));
}

TEST(ReadTruth, takes_the_labels_in_the_order_of_the_data) {
  const TempFolder folder;
  write_file(folder / "truth.csv", "sea,sun\n1,0\n0,1\n");
  Dataset data;
  data.features = Matrix(2, 1);
  data.label_names = {"sun", "sea"};
  data.candidates = labels_of({"11", "11"});
  read_truth(data, folder / "truth.csv", {});
  EXPECT_EQ(*data.truth, labels_of({"01", "10"}));
}

TEST(ReadScores, takes_columns_by_name_and_refuses_another_number_of_rows) {
  const TempFolder folder;
  write_file(folder / "s.csv", "row,score:sea,score:sun\n0,0.25,0.5\n1,1,2\n");
  const MatrixD scores = read_scores(folder / "s.csv", {"sun", "sea"}, {2});
  EXPECT_EQ(scores(0, 0), 0.5);
  EXPECT_EQ(scores(1, 1), 1);
  EXPECT_THAT(refusal([&] {
                read_scores(folder / "s.csv", {"sun", "sea"}, {3});
              }),
              HasSubstr("the file has 2 rows, the data 3 rows"));
}

TEST(ReadDecisions, refuses_a_row_that_was_moved) {
  const TempFolder folder;
  write_file(folder / "d.csv", "row,label:sea,label:sun\n0,1,0\n1,0,1\n");
  EXPECT_EQ(read_decisions(folder / "d.csv", {"sun", "sea"}, {2}, {}), labels_of({"01", "10"}));
  write_file(folder / "d.csv", "row,label:sea,label:sun\n1,1,0\n0,0,1\n");
  EXPECT_THAT(refusal([&] {
                read_decisions(folder / "d.csv", {"sun", "sea"}, {2}, {});
              }),
              HasSubstr("row 1 is in the place of row 0"));
}

TEST(ReadNames, leaves_blank_lines_out_and_refuses_a_file_without_names) {
  const TempFolder folder;
  write_file(folder / "names.txt", "sun\n\n  sea \n");
  EXPECT_THAT(read_names(folder / "names.txt"), ElementsAre("sun", "sea"));
  write_file(folder / "empty.txt", "\n \n");
  EXPECT_THAT(refusal([&] { read_names(folder / "empty.txt"); }), HasSubstr("no label names"));
}

}  // namespace
}  // namespace sieve::test
