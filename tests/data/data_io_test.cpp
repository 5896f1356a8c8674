#include "labelsieve/data_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/random.h"
#include "labelsieve/error.h"
#include "support/faulty_files.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::labels_of;
using test::refusal;
using test::TempFolder;
using test::write_file;
using ::testing::HasSubstr;

constexpr const char* kCsv = "x,y,label:a,label:b\n1,2,1,0\n0,4,0,1\n";
constexpr const char* kArff =
    "@relation 't: -C -2'\n@attribute x numeric\n@attribute y numeric\n"
    "@attribute a {0,1}\n@attribute b {0,1}\n@data\n1,2,1,0\n0,4,0,1\n";
constexpr const char* kLibsvm = "0 1:1 2:2\n1 2:4\n";

Dataset small_set() {
  Dataset data;
  Matrix x(3, 2);
  x(0, 0) = 0.1F, x(1, 1) = -3e-7F, x(2, 0) = 16777216;
  data.features = std::move(x);
  data.candidates = labels_of({"110", "011", "111"});
  data.truth = labels_of({"100", "011", "001"});
  data.label_names = {"sea", "sky, blue", "it's"};
  data.feature_names = {"first", "second one"};
  return data;
}

TEST(ReadDataset, detects_each_text_format_by_content_whatever_the_name) {
  const TempFolder folder;
  for (const char* content : {kCsv, kArff, kLibsvm}) {
    write_file(folder / "data", content);
    const Dataset data = read_dataset({folder / "data"});
    EXPECT_EQ(data.rows(), 2U);
    EXPECT_EQ(data.features.cols(), 2U);
    EXPECT_EQ(data.candidates, labels_of({"10", "01"}));
    EXPECT_FALSE(data.truth);
    EXPECT_EQ(data.name, folder / "data");
  }
}

TEST(ReadDataset, content_that_can_be_nothing_else_wins_over_the_name) {
  const TempFolder folder;
  write_file(folder / "data.csv", kArff);
  EXPECT_EQ(read_dataset({folder / "data.csv"}).label_names, (std::vector<std::string>{"a", "b"}));
}

TEST(ReadDataset, labels_can_be_declared_to_be_the_truth) {
  const TempFolder folder;
  write_file(folder / "data.csv", kCsv);
  ReadOptions options;
  options.role = LabelRole::Truth;
  const Dataset data = read_dataset({folder / "data.csv"}, options);
  ASSERT_TRUE(data.truth);
  EXPECT_EQ(*data.truth, data.candidates);
}

TEST(ReadDataset, puts_train_and_test_of_a_folder_together_train_first) {
  const TempFolder folder;
  write_file(folder / "set-test.csv", "x,label:a\n3,1\n");
  write_file(folder / "set-train.csv", "x,label:a\n1,0\n2,1\n");
  write_file(folder / "README.md", "not data");
  const Dataset data = read_dataset({folder.path()});
  ASSERT_EQ(data.rows(), 3U);
  EXPECT_EQ(data.features.dense()(0, 0), 1);
  EXPECT_EQ(data.features.dense()(2, 0), 3);
}

TEST(ReadDataset, joins_label_matrices_that_lie_apart) {
  const TempFolder folder;
  write_file(folder / "m_candidates.csv", "1,1\n0,1\n");
  write_file(folder / "m_target.csv", "1,0\n0,1\n");
  const Dataset labels_only = read_dataset({folder.path()});
  EXPECT_EQ(labels_only.features.cols(), 0U);
  EXPECT_EQ(labels_only.features.rows(), 2U);
  EXPECT_EQ(labels_only.candidates, labels_of({"11", "01"}));
  EXPECT_EQ(*labels_only.truth, labels_of({"10", "01"}));

  write_file(folder / "m.csv", "x,y\n1,2\n3,4\n");
  const Dataset with_features = read_dataset({folder.path()});
  EXPECT_EQ(with_features.features.cols(), 2U);
  EXPECT_EQ(with_features.candidates, labels_of({"11", "01"}));
  EXPECT_EQ(*with_features.truth, labels_of({"10", "01"}));
}

TEST(ReadDataset, refuses_label_matrices_that_do_not_fit) {
  const TempFolder folder;
  write_file(folder / "m_candidates.csv", "1,1\n0,1\n");
  write_file(folder / "m_target.csv", "1,0\n");
  EXPECT_THAT(refusal([&] { read_dataset({folder.path()}); }), HasSubstr("same rows"));
  write_file(folder / "m_target.csv", "1,0,1\n0,0,1\n");
  EXPECT_THAT(refusal([&] { read_dataset({folder.path()}); }), HasSubstr("do not fit"));
}

TEST(ReadDataset, refuses_files_of_different_sets) {
  const TempFolder folder;
  write_file(folder / "one.csv", "x,label:a,label:b\n1,0,1\n");
  const auto together = [&](const char* second) {
    write_file(folder / "two.csv", second);
    return refusal([&] { read_dataset({folder / "one.csv", folder / "two.csv"}); });
  };
  EXPECT_THAT(together("x,label:a\n1,0\n"), HasSubstr("1 labels here but 2"));
  EXPECT_THAT(together("x,label:b,label:a\n1,0,1\n"), HasSubstr("label 1 is 'b' here but 'a'"));
  EXPECT_THAT(together("z,label:a,label:b\n1,0,1\n"), HasSubstr("feature 1 is 'z' here but 'x'"));
  EXPECT_THAT(together("x,y,label:a,label:b\n1,2,0,1\n"), HasSubstr("2 features here but 1"));
  EXPECT_THAT(together("x,truth:a,truth:b\n1,0,1\n"), HasSubstr("true labels"));
  EXPECT_EQ(together("x,label:a,label:b\n1,0,1\n"), "");
}

TEST(ReadDataset, refuses_a_folder_without_or_with_too_much_data) {
  const TempFolder folder;
  EXPECT_THAT(refusal([&] { read_dataset({folder.path()}); }), HasSubstr("no data file"));
  write_file(folder / "a.csv", kCsv);
  write_file(folder / "b.csv", kCsv);
  EXPECT_THAT(refusal([&] { read_dataset({folder.path()}); }), HasSubstr("more than one data set"));
}

TEST(ReadDataset, names_files_of_kinds_that_it_cannot_read) {
  const TempFolder folder;
  const auto refused = [&](std::string_view bytes, const std::string& name) {
    write_file(folder / name, bytes);
    int code = 0;
    std::string message = refusal([&] { read_dataset({folder / name}); }, &code);
    EXPECT_EQ(code, 3) << message;
    return message;
  };
  EXPECT_THAT(refused("SIEVEMDL\x01", "m.model"), HasSubstr("the model comes first"));
  EXPECT_THAT(refused("\x80\x04\x95", "x.pkl"), HasSubstr("a Python pickle"));
  const std::string member = "PK\x03\x04" + std::string(26, ' ');
  EXPECT_THAT(refused(member + "[Content_Types].xml", "x.xlsx"), HasSubstr("ZIP file is damaged"));
  EXPECT_THAT(refused(member + "[Content_Types].xml" + member + "word/document.xml", "x.docx"),
              HasSubstr("this is a Word document"));
  EXPECT_THAT(refused("PK\x03\x04 something", "x.zip"), HasSubstr("ZIP file"));
  EXPECT_THAT(refused("[{\"a\": 1}]", "x.json"), HasSubstr("this is a JSON document"));
}

TEST(ReadDataset, refuses_empty_unknown_and_missing_files_with_the_right_exit_code) {
  const TempFolder folder;
  int code = 0;
  write_file(folder / "empty.csv", "");
  EXPECT_THAT(refusal([&] { read_dataset({folder / "empty.csv"}); }, &code), HasSubstr("is empty"));
  EXPECT_EQ(code, 3);
  write_file(folder / "prose", "hello world\n");
  EXPECT_THAT(refusal([&] { read_dataset({folder / "prose"}); }, &code), HasSubstr("format: arff"));
  EXPECT_EQ(code, 3);
  EXPECT_THAT(refusal([&] { read_dataset({folder / "none.csv"}); }, &code),
              HasSubstr("no such file"));
  EXPECT_EQ(code, 5);
  EXPECT_NE(refusal([&] { read_dataset({}); }, &code), "");
  EXPECT_EQ(code, 2);
}

TEST(ReadDataset, names_the_file_when_reading_fails_at_any_call) {
  const TempFolder folder;
  write_file(folder / "data.csv", kCsv);
  for (std::size_t failing = 0;; ++failing) {
    test::FaultyFiles files(failing);
    ReadOptions options;
    options.files = &files;
    int code = 0;
    if (refusal([&] { read_dataset({folder / "data.csv"}, options); }, &code).empty()) {
      EXPECT_GT(failing, 1U);
      break;
    }
    EXPECT_EQ(code, 5);
  }
}

TEST(WriteDataset, every_format_keeps_candidates_truth_names_and_bits) {
  const TempFolder folder;
  const Dataset data = small_set();
  for (const char* name : {"s.csv", "s.tsv", "s.csv.gz", "s.arff", "s2.arff.gz", "s.mat"}) {
    write_dataset(data, folder / name);
    EXPECT_TRUE(same_content(data, read_dataset({folder / name}))) << name;
  }
  WriteOptions hdf5;
  hdf5.mat73 = true;
  write_dataset(data, folder / "s73.mat", hdf5);
  EXPECT_TRUE(same_content(data, read_dataset({folder / "s73.mat"})));
}

TEST(WriteDataset, libsvm_holds_one_label_matrix_and_says_so) {
  const TempFolder folder;
  const Dataset data = small_set();
  int code = 0;
  EXPECT_THAT(refusal([&] { write_dataset(data, folder / "s.svm"); }, &code), HasSubstr("labels="));
  EXPECT_EQ(code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "s.svm"));
  WriteOptions truth;
  truth.labels = WriteOptions::Labels::Truth;
  write_dataset(data, folder / "s.svm", truth);
  const Dataset back = read_dataset({folder / "s.svm"});
  EXPECT_EQ(back.candidates, *data.truth);
  EXPECT_TRUE(same_values(back.features, data.features));
}

TEST(WriteDataset, refuses_unknown_names_and_existing_files) {
  const TempFolder folder;
  const Dataset data = small_set();
  EXPECT_THAT(refusal([&] { write_dataset(data, folder / "s.xyz"); }), HasSubstr(".arff"));
  write_dataset(data, folder / "s.csv");
  EXPECT_THAT(refusal([&] { write_dataset(data, folder / "s.csv"); }), HasSubstr("exists already"));
}

TEST(WriteDataset, leaves_nothing_or_all_whichever_call_fails) {
  for (std::size_t failing = 0;; ++failing) {
    const TempFolder folder;
    test::FaultyFiles files(failing, true);
    WriteOptions options;
    options.files = &files;
    const std::string message =
        refusal([&] { write_dataset(small_set(), folder / "s.arff", options); });
    if (std::filesystem::exists(folder / "s.arff")) {
      EXPECT_TRUE(same_content(small_set(), read_dataset({folder / "s.arff"})));
    }
    for (const std::string& name : FileSystem::real().list(folder.path()))
      EXPECT_EQ(name.find(".part-"), std::string::npos) << name;
    if (message.empty()) break;
  }
}

// Shapes of the real sets: rows, features, labels, cells set in candidates and truth a row.
struct RealSet {
  const char* folder;
  std::size_t rows, features, labels;
  double candidates, truth;
};
constexpr RealSet kRealSets[] = {
    {"yeast", 2417, 103, 14, 4.24, 4.24},        {"scene", 2407, 294, 6, 1.07, 1.07},
    {"image", 2000, 294, 5, 1.24, 1.24},         {"enron", 1702, 1001, 53, 3.38, 3.38},
    {"corel5k", 5000, 499, 374, 3.52, 3.52},     {"delicious", 16105, 500, 983, 19.02, 19.02},
    {"tmc2007-500", 28596, 500, 22, 2.16, 2.16}, {"mirflickr", 5000, 100, 7, 3.35, 1.77},
    {"YeastBP", 6139, 6139, 217, 5.93, 5.54},    {"music_emotion", 6833, 0, 11, 5.29, 2.42},
    {"music_style", 6839, 0, 10, 6.04, 1.44}};

void PrintTo(const RealSet& set, std::ostream* out) {
  *out << set.folder;
}

class RealData : public ::testing::TestWithParam<RealSet> {};

TEST_P(RealData, has_its_published_shape_and_survives_every_format) {
  REQUIRE_DATA_FOLDER(folder);
  const RealSet& set = GetParam();
  ThreadPool pool;
  ReadOptions options;
  options.role = LabelRole::Truth;
  options.threads = &pool;
  const Dataset data = read_dataset({*folder + "/" + set.folder}, options);
  EXPECT_EQ(data.rows(), set.rows);
  EXPECT_EQ(data.features.cols(), set.features);
  EXPECT_EQ(data.labels(), set.labels);
  const auto n = static_cast<double>(set.rows);
  EXPECT_NEAR(static_cast<double>(data.candidates.count()) / n, set.candidates, 0.005);
  EXPECT_NEAR(static_cast<double>(data.truth->count()) / n, set.truth, 0.005);

  const TempFolder out;
  for (const char* name : {"s.arff", "s.csv.gz", "s.mat"}) {
    write_dataset(data, out / name);
    Dataset back = read_dataset({out / name}, options);
    if (data.feature_names.empty()) back.feature_names.clear();  // text formats invent names
    EXPECT_TRUE(same_content(data, back)) << name;
    std::filesystem::remove(out / name);
  }
  for (const WriteOptions::Labels labels :
       {WriteOptions::Labels::Candidates, WriteOptions::Labels::Truth}) {
    WriteOptions one;
    one.labels = labels;
    one.if_exists = IfExists::Replace;
    write_dataset(data, out / "s.svm", one);
    const Dataset back = read_dataset({out / "s.svm"}, options);
    EXPECT_TRUE(same_values(data.features, back.features));
    EXPECT_EQ(back.candidates,
              labels == WriteOptions::Labels::Truth ? *data.truth : data.candidates);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RealData, ::testing::ValuesIn(kRealSets), [](const auto& set) {
  std::string name = set.param.folder;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace sieve
