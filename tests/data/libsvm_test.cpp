#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>

#include "data/formats.h"
#include "support/bad_text.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::BadText;
using test::labels_of;
using testing::ElementsAre;
using testing::HasSubstr;

Dataset read(const std::string& text, const ReadOptions& options = {}) {
  test::MemoryInput in(text, 5);
  return read_libsvm(in, "s.svm", options);
}

std::string written(const Dataset& data, const WriteOptions& options = {}) {
  test::MemoryOutput out;
  write_libsvm(data, out, options);
  return out.text;
}

TEST(Libsvm, reads_rows_with_some_no_and_all_labels) {
  const Dataset data = read("# a comment\n2,0 1:0.5 3:-2\n 2:+1 # note\n\n0,1,2\n3:0\n");
  EXPECT_THAT(data.label_names, ElementsAre("0", "1", "2"));
  EXPECT_EQ(data.candidates, labels_of({"101", "000", "111", "000"}));
  EXPECT_TRUE(data.feature_names.empty());
  EXPECT_FALSE(data.truth);
  const CsrMatrix& sparse = data.features.sparse();
  EXPECT_EQ(sparse.cols, 3U);
  EXPECT_THAT(std::span(sparse.starts), ElementsAre(0, 2, 3, 3, 3));
  EXPECT_THAT(std::span(sparse.columns), ElementsAre(0, 2, 1));
  EXPECT_THAT(std::span(sparse.values), ElementsAre(0.5F, -2.0F, 1.0F));
}

TEST(Libsvm, counts_from_0_only_where_a_0_occurs) {
  EXPECT_EQ(read("1 1:1 4:1\n").features.cols(), 4U);
  EXPECT_EQ(read("1 0:1 4:1\n").features.cols(), 5U);
  EXPECT_THAT(read("2 1:1\n1 1:1\n").label_names, ElementsAre("1", "2"));
  EXPECT_EQ(read("2 1:1\n1 1:1\n").candidates, labels_of({"01", "10"}));
  EXPECT_THAT(read("2 1:1\n0 1:1\n").label_names, ElementsAre("0", "1", "2"));
}

TEST(Libsvm, reads_features_alone_if_told_so) {
  ReadOptions options;
  options.labels.count = 0;
  const Dataset data = read(" 1:1\n2:3\n", options);
  EXPECT_EQ(data.rows(), 2U);
  EXPECT_EQ(data.labels(), 0U);
}

TEST(Libsvm, takes_a_byte_order_mark_crlf_and_no_final_newline) {
  const Dataset data = read(
      "\xEF\xBB\xBF"
      "1 1:2\r\n\r\n2\t2:3");
  EXPECT_EQ(data.candidates, labels_of({"10", "01"}));
  EXPECT_EQ(data.features.nonzeros(), 2U);
}

TEST(Libsvm, reads_one_row_one_label_one_feature) {
  const Dataset data = read("0 1:7");
  EXPECT_EQ(data.rows(), 1U);
  EXPECT_EQ(data.labels(), 1U);
  EXPECT_EQ(data.features.cols(), 1U);
}

TEST(Libsvm, takes_the_size_from_its_own_first_line) {
  const Dataset data = read("# labelsieve features=9 labels=4\n1 2:3\n");
  EXPECT_EQ(data.features.cols(), 9U);
  EXPECT_THAT(data.label_names, ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(data.features.sparse().columns[0], 1U);
}

class LibsvmRefuses : public testing::TestWithParam<BadText> {};

TEST_P(LibsvmRefuses, with_place_and_reason) {
  EXPECT_THAT(test::refusal([&] { read(GetParam().text); }), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Text, LibsvmRefuses,
    testing::Values(
        BadText{"empty_file", "", "s.svm: there are no rows"},
        BadText{"comments_only", "# x\n\n", "s.svm: there are no rows"},
        BadText{"no_labels_at_all", " 1:1\n", "no row has a label"},
        BadText{"utf16",
                std::string("\xFE\xFF\0"
                            "1",
                            4),
                "UTF-16"},
        BadText{"nul", std::string("1 1:1\n\0", 7), "s.svm:2: a NUL byte"},
        BadText{"negative_label", "0 1:1\n-1 1:1\n", "s.svm:2:1: '-1' is not a label"},
        BadText{"plus_label", "+1 1:1\n", "'+1' is not a label"},
        BadText{"fractional_label", "0,1.5 1:1\n", "s.svm:1:3: '1.5' is not a label"},
        BadText{"empty_label", "0,,1 1:1\n", "s.svm:1:3: '' is not a label"},
        BadText{"repeated_label", "3,1,3 1:1\n", "s.svm:1:1: the label 3 is repeated"},
        BadText{"huge_label", "929282", "929282 labels are out of proportion to the file"},
        BadText{"label_beyond_32_bits", "9999999999 1:1\n", "is not a label"},
        BadText{"huge_index", "1 4000000000:1\n", "4000000000 features are out of proportion"},
        BadText{"index_beyond_32_bits", "1 9999999999:1\n", "is not index:value"},
        BadText{"negative_index", "1 -2:1\n", "s.svm:1:3: '-2:1' is not index:value"},
        BadText{"no_colon", "1 5\n", "'5' is not index:value"},
        BadText{"repeated_index", "1 2:1 2:1\n", "s.svm:1:7: the index '2' is repeated"},
        BadText{"descending_index", "1 2:1 1:1\n", "the indices of a row must ascend"},
        BadText{"qid", "1 qid:1 1:1\n", "s.svm:1:3: ranking data (qid) is not read"},
        BadText{"nan", "1 1:nan\n", "s.svm:1:5: 'nan' is not a finite number"},
        BadText{"inf", "1 1:inf\n", "'inf' is not a finite number"},
        BadText{"too_large", "1 1:1e400\n", "'1e400' is too large"},
        BadText{"decimal_comma", "1 1:1,5\n", "'1,5' is not a number"},
        BadText{"no_value", "1 1:\n", "a value is missing"},
        BadText{"label_beyond_size", "# labelsieve features=1 labels=1\n1 1:1\n",
                "s.svm:2:1: the label '1' is out of range"},
        BadText{"index_beyond_size", "# labelsieve features=1 labels=1\n0 2:1\n",
                "s.svm:2:3: the index '2' is out of range"},
        BadText{"index_0_with_size", "# labelsieve features=1 labels=1\n0 0:1\n", "out of range"},
        BadText{"huge_size", "# labelsieve features=1 labels=4000000000\n0 1:1\n",
                "out of proportion"},
        BadText{"no_labels_by_size", "# labelsieve features=1 labels=0\n 1:1\n",
                "no row has a label"}),
    test::kBadTextName);

TEST(Libsvm, does_not_depend_on_the_number_of_threads) {
  std::string text;
  for (int i = 0; i < 200000; ++i)
    text +=
        std::to_string(i % 5) + " " + std::to_string(1 + i % 7) + ":" + std::to_string(i) + "\n";
  ThreadPool pool(3);
  ReadOptions options;
  options.threads = &pool;
  EXPECT_TRUE(same_content(read(text), read(text, options)));
  EXPECT_THAT(test::refusal([&] { read(text + "x\n", options); }), HasSubstr("s.svm:200001:1"));
}

TEST(LibsvmWriter, keeps_labels_features_and_rows_that_never_occur) {
  Dataset data = read("# labelsieve features=5 labels=4\n1,2 1:0.1 3:-0\n 2:1e-45\n 1:0\n");
  EXPECT_EQ(written(data), "# labelsieve features=5 labels=4\n1,2 1:0.1 3:-0\n 2:1e-45\n 1:0\n");
  EXPECT_TRUE(same_content(data, read(written(data))));
  data.features = data.features.to_dense(1000);
  EXPECT_TRUE(same_content(data, read(written(data))));
}

TEST(LibsvmWriter, holds_one_label_matrix) {
  Dataset data = read("0,1 1:1\n");
  data.truth = data.candidates.clone();
  EXPECT_THAT(written(data), HasSubstr("\n0,1 1:1\n"));
  data.truth->set(0, 0, false);
  int exit_code = 0;
  EXPECT_THAT(test::refusal([&] { written(data); }, &exit_code),
              HasSubstr("labels=candidates or labels=truth"));
  EXPECT_EQ(exit_code, static_cast<int>(Failure::Usage));
  WriteOptions options;
  options.labels = WriteOptions::Labels::Truth;
  EXPECT_THAT(written(data, options), HasSubstr("\n1 1:1\n"));
  options.labels = WriteOptions::Labels::Candidates;
  EXPECT_THAT(written(data, options), HasSubstr("\n0,1 1:1\n"));
}

TEST(Libsvm, plain_and_odd_spellings_of_a_row_are_the_same) {
  const std::string head = "# labelsieve features=30 labels=5\n";
  const auto row_of = [&](const std::string& row) {
    return read(head + "0 1:1 2:2 3:3 4:4 5:5\n" + row + "\n1 1:1 2:2 3:3 4:4 5:5 6:6 7:7\n");
  };
  const Dataset plain = row_of("0,3 2:-0.5 7:12.25 9:0 30:3");
  EXPECT_EQ(plain.features.sparse().row(1).values.size(), 3U);
  for (const char* odd :
       {"3,0 2:-0.5 7:12.25 9:0 30:3", "0,3 2:-5e-1 7:12.25 9:0 30:3", "0,3\t2:-0.5 7:12.25 30:3",
        "0,3 2:-0.5  7:12.25 9:0 30:3 ", "0,3 2:-0.5 7:12.25 30:3 # 4:1",
        "0,3 2:-.5 7:12.250 30:3\r", "0,3 0002:-0.5 7:12.25000000000000000000 30:3"})
    EXPECT_TRUE(same_content(plain, row_of(odd))) << odd;
  for (const char* bad : {"0,3 2:1 2:2", "0,3 3:1 2:2", "0,3 0:1", "0,3 31:1", "0,5 2:1", "0,0 2:1",
                          "0 2:1-", "0 2:", "0 2:-", "0 2:.", "0 :1", "0 2:1.2.3", "0 2;1"})
    EXPECT_NE(test::refusal([&] { row_of(bad); }), "") << bad;
}

TEST(LibsvmWriter, keeps_an_empty_row_without_features) {
  Dataset data = read("0\n1\n");
  data.candidates.set(1, 1, false);
  EXPECT_EQ(written(data), "# labelsieve features=0 labels=2\n0\n \n");
  EXPECT_TRUE(same_content(data, read(written(data))));
}

std::vector<float> last_values(const CsrMatrix& x) {
  std::vector<float> values;
  for (std::size_t i = 0; i < x.rows(); ++i) values.push_back(x.row(i).values.back());
  return values;
}

TEST(Libsvm, features_come_in_blocks) {
  constexpr std::size_t rows = 1200, features = 1000;
  std::string text;
  for (std::size_t i = 0; i < rows; ++i) {
    text += "1";
    for (std::size_t j = 1; j <= features; ++j)
      text += " " + std::to_string(j) + ":" + std::to_string(1 + (i + j) % 9);
    text += "\n";
  }
  ThreadPool pool(2);
  ReadOptions options;
  options.threads = &pool;
  for (const bool sized : {true, false}) {
    test::MemoryInput in{(sized ? "# labelsieve features=1000 labels=3\n" : "") + text};
    std::size_t blocks = 0, done = 0;
    const TakeFeatures take = [&](FeatureBlock& block) {
      EXPECT_EQ(block.features.cols(), features);
      return [&, last = last_values(block.features.sparse())] {
        ++blocks;
        for (const float value : last) EXPECT_EQ(value, 1 + (done++ + features) % 9);
      };
    };
    EXPECT_EQ(read_libsvm_features(in, "test.svm", options, 5, take), 5 + rows);
    EXPECT_EQ(done, rows);
    EXPECT_GT(blocks, 1U);
  }
}

}  // namespace
}  // namespace sieve
