#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "support/support.h"

// Labels in a file of their own.
namespace sieve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LabelFile : public ::testing::Test {
 protected:
  Dataset read(const std::string& data, const std::string& labels) {
    notes_.clear();
    options_.notes = &notes_;
    options_.label_file = folder_ / labels;
    return read_dataset({folder_ / data}, options_);
  }
  std::string refusal(const std::string& data, const std::string& labels) {
    return test::refusal([&] { read(data, labels); });
  }
  void write(const std::string& name, const std::string& text) {
    test::write_file(folder_ / name, text);
  }
  static float first_feature(const Dataset& data, std::size_t row) {
    std::vector<float> values(data.features.cols());
    data.features.copy_row(row, values);
    return values[0];
  }

  test::TempFolder folder_;
  ReadOptions options_;
  std::vector<std::string> notes_;
};

constexpr const char* kRows = "id,f\na,1\nb,2\nc,3\n";

TEST_F(LabelFile, is_joined_by_id_whatever_the_order) {
  write("x.csv", kRows);
  write("y.csv", "id,sea,wood\nc,0,0\nb,0,1\na,1,1\n");
  write("y.jsonl",
        "{\"id\":\"b\",\"tags\":[\"wood\"]}\n{\"id\":\"a\",\"tags\":[\"sea\",\"wood\"]}\n"
        "{\"id\":\"c\",\"tags\":[]}\n");
  ReadOptions all;
  all.labels.else_all = true;
  write_dataset(read_dataset({folder_ / "y.csv"}, all), folder_ / "y.npz");
  write_dataset(read_dataset({folder_ / "y.csv"}, all), folder_ / "y.sieve");
  for (const char* labels : {"y.csv", "y.jsonl", "y.npz", "y.sieve"}) {
    const Dataset data = read("x.csv", labels);
    EXPECT_THAT(data.ids, ElementsAre("a", "b", "c")) << labels;
    EXPECT_TRUE(data.candidates == test::labels_of({"11", "01", "00"})) << labels;
    EXPECT_EQ(first_feature(data, 2), 3) << labels;
  }
}

TEST_F(LabelFile, leaves_out_and_names_what_only_one_file_has) {
  write("x.csv", kRows);
  write("y.csv", "id,sea,wood\ne,1,1\nc,0,1\na,1,0\n");
  const Dataset data = read("x.csv", "y.csv");
  EXPECT_THAT(data.ids, ElementsAre("a", "c"));
  EXPECT_TRUE(data.candidates == test::labels_of({"10", "01"}));
  EXPECT_EQ(first_feature(data, 1), 3);
  EXPECT_THAT(notes_,
              testing::Contains(HasSubstr("ids that are not in the data, left out: 1 (e)")));
  EXPECT_THAT(
      notes_,
      testing::Contains(HasSubstr("rows of the data that have no labels there, left out: 1 (b)")));
}

TEST_F(LabelFile, leaves_rows_out_of_a_table_of_text_before_it_learns_from_it) {
  write("x.csv", "id,colour\na,red\nb,blue\nc,red\nd,\n");
  write("y.csv", "id,sea\nc,1\na,0\n");
  const Dataset data = read("x.csv", "y.csv");
  EXPECT_EQ(data.rows(), 2U);
  EXPECT_EQ(data.features.rows(), 2U);
  EXPECT_THAT(data.feature_names, ElementsAre("colour=red"));
}

TEST_F(LabelFile, takes_its_place_among_candidates_and_truth) {
  write("x.csv", kRows);
  write("y.csv", "id,candidate:sea,truth:sea\nb,1,0\na,0,0\nc,1,1\n");
  const Dataset data = read("x.csv", "y.csv");
  EXPECT_TRUE(data.candidates == test::labels_of({"0", "1", "1"}));
  ASSERT_TRUE(data.truth);
  EXPECT_TRUE(*data.truth == test::labels_of({"0", "0", "1"}));
}

TEST_F(LabelFile, is_refused_where_no_id_is_shared_or_one_stands_twice) {
  write("x.csv", kRows);
  write("other.csv", "id,sea\n7,1\n8,0\n9,1\n");
  EXPECT_THAT(refusal("x.csv", "other.csv"),
              HasSubstr("none of its ids is an id of the data: '7' in this file, 'a' in the data"));
  write("twice.csv", "id,sea\na,1\nb,0\na,1\n");
  options_.id_column = "id";
  EXPECT_THAT(refusal("x.csv", "twice.csv"), HasSubstr("have the same id, 'a'"));
}

TEST_F(LabelFile, without_ids_goes_by_order_if_there_are_as_many_rows) {
  write("x.csv", "f\n1\n2\n3\n");
  write("y.csv", "sea\n1\n0\n1\n");
  EXPECT_TRUE(read("x.csv", "y.csv").candidates == test::labels_of({"1", "0", "1"}));
  EXPECT_THAT(notes_, IsEmpty());
  write("y.csv", "sea\n1\n0\n");
  EXPECT_THAT(refusal("x.csv", "y.csv"), HasSubstr("2 rows of labels here do not fit"));
}

TEST_F(LabelFile, with_ids_on_one_side_goes_by_order_and_says_so) {
  write("x.csv", kRows);
  write("y.csv", "sea\n1\n0\n1\n");
  EXPECT_TRUE(read("x.csv", "y.csv").candidates == test::labels_of({"1", "0", "1"}));
  EXPECT_THAT(notes_.back(), HasSubstr("it has no ids, so its labels go to the rows of the data in "
                                       "order"));
  write("x.csv", "f\n1\n2\n3\n");
  write("y.csv", "id,sea\nr,1\ns,0\nt,1\n");
  EXPECT_THAT(read("x.csv", "y.csv").ids, ElementsAre("r", "s", "t"));
  EXPECT_THAT(notes_.back(), HasSubstr("the data has no ids, so the labels go to its rows in "
                                       "order"));
  write("y.csv", "id,sea\nr,1\ns,0\n");
  EXPECT_THAT(refusal("x.csv", "y.csv"), HasSubstr("2 rows of labels here do not fit"));
}

TEST_F(LabelFile, is_joined_to_the_ids_of_an_id_file) {
  write("x.csv", "f\n1\n2\n");
  write("ids.txt", "r\ns\n");
  write("y.csv", "id,sea\ns,1\nr,0\n");
  options_.id_file = folder_ / "ids.txt";
  EXPECT_TRUE(read("x.csv", "y.csv").candidates == test::labels_of({"0", "1"}));
}

}  // namespace
}  // namespace sieve
