#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "data/mat_builder.h"
#include "data/mat_support.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// 3 rows, 4 features, 2 labels: data n x d, labels q x n.
const MatBuilder::Full kData = {{3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
const MatBuilder::Full kCandidates = {{2, 3}, {1, 1, 0, 1, 1, 0}};
const MatBuilder::Full kTruth = {{2, 3}, {1, 0, 0, 1, 0, 0}};
const MatBuilder::Full kOneLabelEach = {{2, 3}, {1, 0, 0, 1, 1, 0}};

Dataset expected() {
  Dataset data;
  Matrix features(3, 4);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j) features(i, j) = static_cast<float>(1 + i + 3 * j);
  data.features = std::move(features);
  data.candidates = labels_of({"11", "01", "10"});
  data.truth = labels_of({"10", "01", "00"});
  data.label_names = {"label1", "label2"};
  return data;
}

MatBuilder classical(bool big_endian = false, bool packed = false) {
  MatBuilder file(big_endian, packed);
  file.full("data", kData).full("partial_labels", kCandidates).full("target", kTruth);
  return file;
}

std::string refusal_of(const MatBuilder& file) {
  int code = 0;
  const std::string message = refusal([&] { (void)load_mat(file.bytes()); }, &code);
  EXPECT_EQ(code, 3) << message;
  return message;
}

TEST(Mat, reads_features_candidates_and_truth) {
  EXPECT_TRUE(same_content(load_mat(classical().bytes()), expected()));
}

TEST(Mat, reads_packed_and_big_endian_files) {
  for (const bool big_endian : {false, true})
    for (const bool packed : {false, true})
      EXPECT_TRUE(same_content(load_mat(classical(big_endian, packed).bytes()), expected()))
          << big_endian << packed;
}

TEST(Mat, takes_the_other_names_of_the_variables) {
  for (const char* name : {"X", "features"})
    EXPECT_TRUE(same_content(load_mat(MatBuilder()
                                          .full(name, kData)
                                          .full("candidate_labels", kCandidates)
                                          .full("truth", kTruth)
                                          .bytes()),
                             expected()));
}

TEST(Mat, features_alone_are_read_where_labels_are_not_needed) {
  const MatBuilder features = std::move(MatBuilder().full("data", kData));
  EXPECT_THAT(refusal_of(features), HasSubstr("no variable with the labels"));
  ReadOptions options;
  options.labels.optional = true;
  const Dataset data = load_mat(features.bytes(), options);
  EXPECT_TRUE(same_values(data.features, expected().features));
  EXPECT_EQ(data.candidates.rows(), 3U);
  EXPECT_EQ(data.labels(), 0U);
  EXPECT_THAT(refusal([&] { (void)load_mat(MatBuilder().bytes(), options); }),
              HasSubstr("no variable with"));
}

TEST(Mat, finds_out_which_way_round_the_matrices_lie) {
  const MatBuilder::Full data_across = {{4, 3}, {1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12}};
  const MatBuilder::Full candidates_down = {{3, 2}, {1, 0, 1, 1, 1, 0}};
  const MatBuilder::Full truth_down = {{3, 2}, {1, 0, 0, 0, 1, 0}};
  EXPECT_TRUE(same_content(load_mat(MatBuilder()
                                        .full("partial_labels", candidates_down)
                                        .full("data", kData)
                                        .full("target", truth_down)
                                        .bytes()),
                           expected()));
  EXPECT_TRUE(same_content(load_mat(MatBuilder()
                                        .full("data", data_across)
                                        .full("partial_labels", kCandidates)
                                        .full("target", kTruth)
                                        .bytes()),
                           expected()));
}

TEST(Mat, prefers_the_classical_layout_for_square_matrices) {
  const Dataset data = load_mat(MatBuilder()
                                    .full("data", {{2, 2}, {1, 2, 3, 4}})
                                    .full("target", {{2, 2}, {1, 1, 0, 1}})
                                    .bytes());
  EXPECT_EQ(data.features.dense()(0, 1), 3);
  EXPECT_EQ(data.candidates, labels_of({"11", "01"}));
}

TEST(Mat, takes_every_class_and_type_of_number) {
  for (const MatType type :
       {MatType::Int8, MatType::Uint8, MatType::Int16, MatType::Uint16, MatType::Int32,
        MatType::Uint32, MatType::Int64, MatType::Uint64, MatType::Single, MatType::Double})
    for (const bool big_endian : {false, true}) {
      MatBuilder::Full data = kData, candidates = kCandidates, truth = kTruth;
      data.type = candidates.type = truth.type = type;
      truth.kind = MatClass::Uint8, truth.flags = 0x200;
      MatBuilder file(big_endian);
      file.full("data", data).full("partial_labels", candidates).full("target", truth);
      EXPECT_TRUE(same_content(load_mat(file.bytes()), expected())) << static_cast<int>(type);
    }
}

TEST(Mat, takes_minus_one_for_an_absent_label) {
  const Dataset data = load_mat(
      MatBuilder().full("data", kData).full("target", {{2, 3}, {1, -1, -1, 1, -1, -1}}).bytes());
  EXPECT_EQ(data.candidates, labels_of({"10", "01", "00"}));
}

TEST(Mat, keeps_sparse_data_sparse_either_way_round) {
  const MatBuilder::Full labels = {{1, 3}, {1, 0, 1}};
  // [0 7; 5 0; 0 9] and its transpose, with one stored zero that has to go
  const MatBuilder::Sparse down = {3, 2, {0, 1, 0, 2}, {0, 2, 4}, {0, 5, 7, 9}};
  const MatBuilder::Sparse across = {2, 3, {1, 0, 1}, {0, 1, 2, 3}, {7, 5, 9}};
  for (const MatBuilder::Sparse& matrix : {down, across}) {
    const Dataset data =
        load_mat(MatBuilder().sparse("data", matrix).full("target", labels).bytes());
    ASSERT_TRUE(data.features.is_sparse());
    EXPECT_EQ(data.features.nonzeros(), 3U);
    EXPECT_EQ(data.features.to_dense(1000)(0, 1), 7);
    EXPECT_EQ(data.features.to_dense(1000)(1, 0), 5);
    EXPECT_EQ(data.features.to_dense(1000)(2, 1), 9);
  }
}

TEST(Mat, takes_sparse_labels) {
  const Dataset data =
      load_mat(MatBuilder()
                   .full("data", kData)
                   .sparse("target", {2, 3, {0, 1, 0, 1}, {0, 2, 3, 4}, {1, 1, -1, 1}})
                   .bytes());
  EXPECT_EQ(data.candidates, labels_of({"11", "00", "01"}));
}

TEST(Mat, target_alone_is_a_clean_set_and_candidates_alone_have_no_truth) {
  const Dataset clean = load_mat(MatBuilder().full("data", kData).full("target", kTruth).bytes());
  ASSERT_TRUE(clean.truth);
  EXPECT_EQ(*clean.truth, clean.candidates);
  ReadOptions options;
  options.role = LabelRole::Truth;
  const Dataset partial =
      load_mat(MatBuilder().full("data", kData).full("partial_labels", kTruth).bytes(), options);
  EXPECT_FALSE(partial.truth);
}

TEST(Mat, allows_truth_outside_the_candidates) {
  const Dataset data = load_mat(MatBuilder()
                                    .full("data", kData)
                                    .full("partial_labels", kOneLabelEach)
                                    .full("target", kCandidates)
                                    .bytes());
  EXPECT_EQ(count_outside(*data.truth, data.candidates), 1U);
}

TEST(Mat, reads_names_from_cells_and_char_matrices) {
  MatBuilder file = classical();
  file.cell("label_names", {"sea", "sky"})
      .chars("feature_names", {"red  ", "green", "x    ", " y   "});
  const Dataset data = load_mat(file.bytes());
  EXPECT_THAT(data.label_names, testing::ElementsAre("sea", "sky"));
  EXPECT_THAT(data.feature_names, testing::ElementsAre("red", "green", "x", " y"));
}

TEST(Mat, refuses_names_that_do_not_fit) {
  EXPECT_THAT(refusal_of(classical().cell("label_names", {"sea"})), HasSubstr("1 names"));
  EXPECT_THAT(refusal_of(classical().cell("label_names", {"sea", "sea"})), HasSubstr("same name"));
  EXPECT_THAT(refusal_of(classical().full("label_names", kData)), HasSubstr("class double"));
}

TEST(Mat, refuses_numbers_that_are_not_finite_with_their_place) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), -1e300}) {
    MatBuilder::Full data = kData;
    data.values[5] = bad;
    EXPECT_THAT(refusal_of(MatBuilder().full("data", data).full("target", kTruth)),
                HasSubstr("data(3, 2) is"));
    EXPECT_THAT(
        refusal_of(
            MatBuilder().sparse("data", {3, 2, {2}, {0, 0, 1}, {bad}}).full("target", kTruth)),
        HasSubstr("data(3, 2) is"));
  }
}

TEST(Mat, refuses_labels_that_are_not_zero_or_one) {
  for (const double bad : {2.0, 0.5, -2.0, 1 + 1e-12, std::numeric_limits<double>::quiet_NaN()}) {
    MatBuilder::Full truth = kTruth;
    truth.values[3] = bad;
    EXPECT_THAT(refusal_of(MatBuilder().full("data", kData).full("target", truth)),
                AllOf(HasSubstr("target(2, 2) is"), HasSubstr("0, 1 or -1")));
  }
}

TEST(Mat, refuses_what_is_no_matrix_with_its_name_and_class) {
  for (const auto& [kind, name] : {std::pair{MatClass::Cell, "cell"},
                                   {MatClass::Struct, "struct"},
                                   {MatClass::Object, "object"},
                                   {MatClass::Char, "char"},
                                   {MatClass::Function, "function"}})
    EXPECT_THAT(refusal_of(MatBuilder().bare("data", kind).full("target", kTruth)),
                HasSubstr(std::string("'data' is of class ") + name));
  MatBuilder::Full data = kData;
  data.flags = 0x800;
  EXPECT_THAT(refusal_of(MatBuilder().full("data", data).full("target", kTruth)),
              HasSubstr("'data' is of class complex double"));
  data = {{3, 1, 2}, {1, 2, 3, 4, 5, 6}};
  EXPECT_THAT(refusal_of(MatBuilder().full("data", data).full("target", kTruth)),
              HasSubstr("'data' has 3 dimensions (3 x 1 x 2)"));
}

TEST(Mat, refuses_a_missing_variable_and_lists_what_is_there) {
  EXPECT_THAT(refusal_of(MatBuilder().full("foo", kData).bare("bar", MatClass::Struct)),
              AllOf(HasSubstr("no variable with features or labels"),
                    HasSubstr("foo (3 x 4 double), bar (1 x 1 struct)")));
  EXPECT_THAT(refusal_of(MatBuilder().full("data", kData)), HasSubstr("with the labels"));
  EXPECT_THAT(refusal_of(MatBuilder().full("target", kTruth)), HasSubstr("with the features"));
  EXPECT_THAT(refusal_of(MatBuilder()), HasSubstr("the file has no variables"));
}

TEST(Mat, reads_labels_alone_where_that_is_asked_for) {
  ReadOptions options;
  options.labels.all = true;
  const Dataset data = load_mat(MatBuilder().full("target", kTruth).bytes(), options);
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_EQ(data.features.cols(), 0U);
}

TEST(Mat, refuses_shapes_that_do_not_match) {
  EXPECT_THAT(refusal_of(MatBuilder().full("data", {{4, 1}, {1, 2, 3, 4}}).full("target", kTruth)),
              HasSubstr("no number of rows in common"));
  EXPECT_THAT(refusal_of(MatBuilder()
                             .full("data", kData)
                             .full("partial_labels", {{3, 3}, std::vector<double>(9)})
                             .full("target", kTruth)),
              HasSubstr("'partial_labels' is 3 x 3 but 'target' is 2 x 3"));
  EXPECT_THAT(refusal_of(MatBuilder().full("data", {{0, 2}, {}}).full("target", {{2, 0}, {}})),
              HasSubstr("is empty"));
  EXPECT_THAT(refusal_of(MatBuilder(classical()).full("data", kData)), HasSubstr("appears twice"));
}

TEST(Mat, takes_one_row_one_feature_one_label) {
  const Dataset data =
      load_mat(MatBuilder().full("data", {{1, 1}, {-2.5}}).full("target", {{1, 1}, {1}}).bytes());
  EXPECT_EQ(data.rows(), 1U);
  EXPECT_EQ(data.features.dense()(0, 0), -2.5F);
  EXPECT_TRUE(data.candidates.get(0, 0));
}

TEST(Mat, refuses_what_is_no_level_5_file) {
  const auto message = [](const std::string& bytes) {
    return refusal([&] { (void)load_mat(bytes); });
  };
  EXPECT_THAT(message(""), HasSubstr("the file is empty"));
  EXPECT_THAT(message("hello"), HasSubstr("not a MAT file"));
  EXPECT_THAT(message(std::string(200, 'x')), HasSubstr("not a MAT file"));
  const std::string version_4("\0\0\0\0\3\0\0\0\2\0\0\0\0\0\0\0\5\0\0\0data\0........", 33);
  EXPECT_THAT(message(version_4), AllOf(HasSubstr("version 4"), HasSubstr("-v7")));
  std::string odd = classical().bytes();
  odd[125] = 9;
  EXPECT_THAT(message(odd), HasSubstr("unknown version"));
}

TEST(Mat, refuses_sizes_that_the_file_can_not_hold) {
  for (const bool packed : {false, true}) {
    EXPECT_THAT(refusal_of(MatBuilder(false, packed)
                               .full("data", {{3, 1000000000}, {1, 2}})
                               .full("target", kTruth)),
                HasSubstr("says it is 3 x 1000000000 but holds 2 numbers"));
    EXPECT_THAT(refusal_of(MatBuilder(false, packed)
                               .sparse("data", {2000000000, 1, {}, {0, 0}, {}})
                               .sparse("target", {2000000000, 1, {}, {0, 0}, {}})),
                HasSubstr("out of proportion"));
    EXPECT_THAT(refusal_of(MatBuilder(false, packed)
                               .full("data", {{1, 1}, {1}})
                               .sparse("target", {100000000, 1, {}, {0, 0}, {}})),
                HasSubstr("says it has 100000000 labels"));
  }
}

TEST(Mat, refuses_sparse_matrices_that_make_no_sense) {
  const std::vector<MatBuilder::Sparse> bad = {
      {3, 2, {3}, {0, 1, 1}, {1}},        // a row that is not there
      {3, 2, {0, 0}, {0, 2, 2}, {1, 1}},  // a row twice
      {3, 2, {0}, {0, 2, 1}, {1}},        // starts go down
      {3, 2, {0}, {0, 1, 9}, {1}},        // more entries than indices
      {3, 2, {0, 1}, {0, 1, 2}, {1}},     // fewer values
      {3, 2, {0}, {0, 1}, {1}},           // a column is missing
  };
  for (const MatBuilder::Sparse& matrix : bad)
    EXPECT_THAT(refusal_of(MatBuilder().sparse("data", matrix).full("target", kTruth)),
                HasSubstr("damaged MAT file"));
}

// Loads or refuses; anything else ends the test.
void expect_orderly(const std::string& bytes) {
  (void)refusal([&] { (void)load_mat(bytes); });
}

MatBuilder with_everything(bool packed) {
  MatBuilder file(false, packed);
  file.sparse("data", {3, 2, {0, 1, 0, 2}, {0, 2, 4}, {4, 5, 7, 9}})
      .full("partial_labels", kCandidates)
      .full("target", kTruth)
      .cell("label_names", {"sea", "sky"})
      .chars("feature_names", {"red  ", "green"});
  return file;
}

TEST(Mat, survives_a_cut_at_every_byte) {
  for (const bool packed : {false, true}) {
    const std::string bytes = with_everything(packed).bytes();
    const std::string no_names = classical(false, packed).bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size) expect_orderly(bytes.substr(0, size));
    for (std::size_t size = 0; size < no_names.size(); ++size) {
      // Only a cut between two variables leaves a proper, smaller file.
      std::optional<Dataset> data;
      (void)refusal([&] { data = load_mat(no_names.substr(0, size)); });
      EXPECT_FALSE(data && data->truth) << size;
    }
  }
}

TEST(Mat, survives_every_byte_being_another) {
  for (const bool packed : {false, true})
    for (const std::string& good :
         {with_everything(packed).bytes(), classical(false, packed).bytes()})
      for (std::size_t i = 0; i < good.size(); ++i) {
        if (i == 124 || i == 125) continue;  // the version; 7.3 has its own test
        std::string bytes = good;
        for (const int change : {0x01, 0x80, 0xff, 0x10}) {
          bytes[i] = static_cast<char>(good[i] ^ change);
          expect_orderly(bytes);
        }
      }
}

TEST(Mat, notices_a_changed_byte_in_a_packed_variable) {
  std::string bytes = classical(false, true).bytes();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_THAT(refusal([&] { (void)load_mat(bytes); }), HasSubstr("damaged MAT file"));
}

}  // namespace
}  // namespace sieve::test
