#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "csv_support.h"
#include "data/formats.h"
#include "data/recipe/recipe.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::csv_text;
using test::from_csv;
using test::labels_of;
using testing::ElementsAre;
using testing::HasSubstr;

ReadOptions last_columns(long count) {
  ReadOptions options;
  options.labels.count = -count;
  return options;
}

std::vector<float> row_of(const Dataset& data, std::size_t row) {
  std::vector<float> values(data.features.cols());
  data.features.copy_row(row, values);
  return values;
}

TEST(Csv, names_that_begin_with_label_tell_the_labels) {
  const Dataset data = from_csv("a,b,label:x,label:y\n1,2.5,0,1\n-3,1e2,1,0\n");
  EXPECT_THAT(data.feature_names, ElementsAre("a", "b"));
  EXPECT_THAT(data.label_names, ElementsAre("x", "y"));
  EXPECT_THAT(row_of(data, 0), ElementsAre(1, 2.5));
  EXPECT_THAT(row_of(data, 1), ElementsAre(-3, 100));
  EXPECT_EQ(data.candidates, labels_of({"01", "10"}));
  EXPECT_FALSE(data.truth);
}

TEST(Csv, names_tell_candidates_from_truth) {
  const Dataset data = from_csv("candidate:x,truth:x,f\n1,0,7\n1,1,8\n");
  EXPECT_EQ(data.candidates, labels_of({"1", "1"}));
  ASSERT_TRUE(data.truth);
  EXPECT_EQ(*data.truth, labels_of({"0", "1"}));
  EXPECT_THAT(row_of(data, 1), ElementsAre(8));
}

TEST(Csv, labels_are_chosen_by_name_prefix_count_or_all) {
  const std::string text = "a,y_1,b,y_2\n5,1,6,0\n";
  ReadOptions options;
  options.labels.names = {"y_2", "y_1"};
  EXPECT_THAT(from_csv(text, options).label_names, ElementsAre("y_1", "y_2"));
  EXPECT_THAT(row_of(from_csv(text, options), 0), ElementsAre(5, 6));
  options.labels = {};
  options.labels.prefix = "y_";
  EXPECT_THAT(from_csv(text, options).label_names, ElementsAre("1", "2"));
  EXPECT_THAT(from_csv(text, last_columns(1)).label_names, ElementsAre("y_2"));
  options.labels = {};
  options.labels.count = 1;
  EXPECT_THAT(from_csv("0,8\n1,9\n", options).label_names, ElementsAre("label1"));
  options.labels.count = 0;
  EXPECT_EQ(from_csv("0,8\n1,9\n", options).features.cols(), 2U);
  EXPECT_EQ(from_csv("0,8\n1,9\n", options).rows(), 2U);
  options.labels = {};
  options.labels.all = true;
  const Dataset labels = from_csv("0,1\n1,1\n", options);
  EXPECT_EQ(labels.candidates, labels_of({"01", "11"}));
  EXPECT_EQ(labels.features.cols(), 0U);
}

TEST(Csv, one_column_can_list_the_labels) {
  ReadOptions options;
  options.labels.column = "tags";
  const Dataset data = from_csv("f,tags\n1,dog; cat\n2,\n3,\"bird;dog\"\n", options);
  EXPECT_THAT(data.label_names, ElementsAre("bird", "cat", "dog"));
  EXPECT_EQ(data.candidates, labels_of({"011", "000", "101"}));
  options.labels.separator = '+';
  options.role = LabelRole::Truth;
  const Dataset other = from_csv("tags\nb+a\n\"\"\na\n", options);
  EXPECT_EQ(other.candidates, labels_of({"11", "00", "10"}));
  EXPECT_TRUE(other.truth);
}

TEST(Csv, a_list_of_labels_may_be_as_json_or_python_prints_it) {
  ReadOptions options;
  options.labels.column = "tags";
  const Dataset json =
      from_csv("f,tags\n1,\"[\"\"dog\"\", \"\"a;b\"\"]\"\n2,[]\n3,\"[\"\"dog\"\"]\"\n", options);
  EXPECT_THAT(json.label_names, ElementsAre("a;b", "dog"));
  EXPECT_EQ(json.candidates, labels_of({"11", "00", "01"}));
  const Dataset python = from_csv("f,tags\n1,\"['dog', 'cat']\"\n2,['dog']\n3,[]\n", options);
  EXPECT_THAT(python.label_names, ElementsAre("cat", "dog"));
  EXPECT_EQ(python.candidates, labels_of({"11", "01", "00"}));
  EXPECT_THAT(from_csv("f,tags\n1,\"[27, 3]\"\n2,[3]\n", options).label_names,
              ElementsAre("27", "3"));
  EXPECT_THAT(from_csv("f,tags\n1,[sic];dog\n", options).label_names, ElementsAre("[sic]", "dog"));
}

TEST(Csv, the_delimiter_is_detected_or_given) {
  for (const char delimiter : {',', '\t', ';', '|'}) {
    std::string text = "a,b,label:x\n1,2,0\n3,4,1\n";
    std::ranges::replace(text, ',', delimiter);
    EXPECT_EQ(from_csv(text).features.cols(), 2U) << delimiter;
  }
  ReadOptions options = last_columns(1);
  options.delimiter = '^';
  EXPECT_THAT(row_of(from_csv("1^2^0\n", options), 0), ElementsAre(1, 2));
  EXPECT_EQ(from_csv("label:x\n1\n0\n").rows(), 2U);
}

TEST(Csv, the_header_is_detected_or_given) {
  EXPECT_THAT(from_csv("1,2,0\n", last_columns(1)).feature_names, ElementsAre());
  ReadOptions options = last_columns(1);
  options.header = true;
  EXPECT_THAT(from_csv("1,2,0\n5,6,1\n", options).feature_names, ElementsAre("1", "2"));
}

TEST(Csv, quoted_cells_hold_delimiters_quotes_and_line_ends) {
  const Dataset data =
      from_csv("\"a,b\", \"say \"\"hi\"\"\" ,\"label:two\nlines\"\r\n\"1\",2,\"1\"\r\n");
  EXPECT_THAT(data.feature_names, ElementsAre("a,b", "say \"hi\""));
  EXPECT_THAT(data.label_names, ElementsAre("two\nlines"));
  EXPECT_THAT(row_of(data, 0), ElementsAre(1, 2));
}

TEST(Csv, line_ends_blank_lines_and_marks_do_not_matter) {
  const Dataset plain = from_csv("a,label:x\n1,0\n2,1\n");
  for (const char* text : {"a,label:x\r\n1,0\r\n2,1\r\n", "a,label:x\n1,0\n2,1",
                           "a,label:x\r\n1,0\r\n2,1\r", "\n\na,label:x\n\n1,0\n  \n2,1\n\n\n",
                           "\xEF\xBB\xBF"
                           "a,label:x\n1,0\n2,1\n",
                           "a , label:x\n 1, 0\n\t2,1 \n"})
    EXPECT_TRUE(same_content(from_csv(text), plain)) << text;
  EXPECT_TRUE(same_content(from_csv("\n \na\tlabel:x\n1\t0\n\n2\t1\n"), plain));
}

TEST(Csv, label_values_have_many_spellings) {
  const std::string on = "1.000000000000000000e+00,1,1.0,true,True,+1,1e0\n";
  const std::string off = "0.000000000000000000e+00,0,-0,false,FALSE,-1,0.0\n";
  ReadOptions options;
  options.labels.all = true;
  EXPECT_EQ(from_csv(on + off, options).candidates, labels_of({"1111111", "0000000"}));
}

TEST(Csv, the_result_is_the_same_for_any_number_of_threads) {
  std::string text = "a,b,label:x\n";
  for (int i = 0; i < 200000; ++i) {
    text +=
        std::to_string(i) + "," + std::to_string(i % 100) + ".25," + (i % 3 == 0 ? "1\n" : "0\n");
    if (i % 1000 == 0) text += "\n\n\n";
    if (i % 777 == 0) text += "\"7\",1e-3,true\r\n";
  }
  const Dataset alone = from_csv(text);
  ThreadPool pool(3);
  ReadOptions options;
  options.threads = &pool;
  EXPECT_TRUE(same_content(from_csv(text, options), alone));
  EXPECT_EQ(alone.rows(), 200000U + 258U);
  EXPECT_THAT(row_of(alone, 200257), ElementsAre(199999, 99.25));
}

TEST(CsvWriter, what_is_written_reads_back_the_same) {
  Dataset data = from_csv(
      "\" a\",\"b\n\",\"c\"\"\",\"d,\",label:x,\"label:truth:y\"\n"
      "1,-0,3e-42,0.1,0,1\n1,2,3,16777216,1,1\n");
  EXPECT_TRUE(same_content(from_csv(csv_text(data)), data));
  data.truth = data.candidates.clone();
  EXPECT_THAT(csv_text(data), HasSubstr("truth:x,"));
  EXPECT_TRUE(same_content(from_csv(csv_text(data)), data));
  data.truth->set(0, 0, true);
  EXPECT_TRUE(same_content(from_csv(csv_text(data)), data));
  WriteOptions options;
  options.delimiter = '\t';
  EXPECT_TRUE(same_content(from_csv(csv_text(data, options)), data));
}

TEST(CsvWriter, a_list_column_reads_back_the_same) {
  const Dataset data = from_csv("label:a,label:b,label:c\n0,1,1\n0,0,0\n1,0,0\n");
  WriteOptions options;
  options.label_column = "tags";
  EXPECT_EQ(csv_text(data, options), "tags\n\"b;c\"\n\"\"\na\n");
  ReadOptions back;
  back.labels.column = "tags";
  EXPECT_TRUE(same_content(from_csv(csv_text(data, options), back), data));
}

TEST(CsvWriter, names_features_that_have_no_name) {
  EXPECT_EQ(csv_text(from_csv("1,2,0\n", last_columns(1))),
            "feature1,feature2,label:label1\n1,2,0\n");
}

TEST(CsvWriter, writes_sparse_features_row_by_row) {
  Dataset data = from_csv("a,b,label:x\n0,2,1\n0,0,1\n");
  const std::string dense = csv_text(data);
  data.features = data.features.to_sparse();
  EXPECT_EQ(csv_text(data), dense);
}

TEST(CsvWriter, refuses_what_csv_can_not_hold) {
  Dataset data = from_csv("a,label:x;y\n1,1\n");
  WriteOptions list;
  list.label_column = "tags";
  EXPECT_THAT(test::refusal([&] { csv_text(data, list); }),
              HasSubstr("label 'x;y' contains the separator ';'"));
  data.label_names = {"x"};
  data.truth = labels_of({"0"});
  EXPECT_THAT(test::refusal([&] { csv_text(data, list); }),
              HasSubstr("one column cannot hold both candidates and truth"));
  data.feature_names = {"truth:a"};
  EXPECT_THAT(test::refusal([&] { csv_text(data); }),
              HasSubstr("feature 'truth:a' would be read back as a label"));
  CsrMatrix wide;
  wide.cols = std::size_t{1} << 32;
  wide.starts.resize(2);
  data.features = std::move(wide);
  data.feature_names.clear();
  int code = 0;
  EXPECT_THAT(test::refusal([&] { csv_text(data); }, &code),
              HasSubstr("4294967296 cells\n  write LIBSVM or sparse ARFF instead"));
  EXPECT_EQ(code, 2);
}

TEST(CsvRealData, music_label_files_have_their_shapes) {
  REQUIRE_DATA_FOLDER(folder);
  ReadOptions options;
  options.labels.all = true;
  for (const auto& [name, rows, labels] :
       {std::tuple("music_emotion", 6833U, 11U), std::tuple("music_style", 6839U, 10U)})
    for (const char* part : {"candidates", "target"}) {
      const std::string path = *folder + "/" + name + "/" + name + "_" + part + "_full.csv.gz";
      const auto in = open_unpacked(FileSystem::real(), path);
      const Dataset data = with_features(read_csv_raw(*in, path, options), options);
      EXPECT_EQ(data.rows(), rows);
      EXPECT_EQ(data.labels(), labels);
      EXPECT_EQ(data.features.cols(), 0U);
      EXPECT_TRUE(same_content(from_csv(csv_text(data)), data));
    }
}

}  // namespace
}  // namespace sieve
