#include "labelsieve/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "echo.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PredictFiles : public ::testing::Test {
 protected:
  Predicted predict(const std::string& csv, const PredictionLayout& layout = {},
                    const Model& model = Echo(), const ReadOptions& options = {}) {
    write_file(folder_ / "new.csv", csv);
    Progress silent;
    return predict_files(model, {folder_ / "new.csv"}, options, layout, out_, silent);
  }
  TempFolder folder_;
  MemoryOutput out_;
};

TEST_F(PredictFiles, takes_features_by_name_and_names_the_columns_it_ignores) {
  const Predicted predicted = predict("f2,size,f1\n0.25,7,0.5\n1,8,0.75\n");
  EXPECT_EQ(out_.text, "row,score:sun,score:sea\n0,0.5,0.25\n1,0.75,1\n");
  EXPECT_EQ(predicted.rows, 2U);
  EXPECT_THAT(predicted.match.ignored, ElementsAre("size"));
  EXPECT_THAT(notes_on(predicted.match), ElementsAre(HasSubstr("does not use: size")));
}

TEST_F(PredictFiles, lists_the_best_labels_first) {
  predict(
      "f1,f2\n0.25,0.5\n",
      {.kind = PredictionLayout::Kind::Top, .form = PredictionLayout::Form::JsonLines, .top = 2});
  EXPECT_EQ(out_.text, "{\"row\":0,\"labels\":[\"sea\",\"sun\"],\"scores\":[0.5,0.25]}\n");
}

TEST_F(PredictFiles, refuses_a_row_without_finite_scores_by_its_number_and_id) {
  using Form = PredictionLayout::Form;
  const auto model = loud_echo();
  ReadOptions options;
  options.id_column = "name";
  for (const Form form : {Form::Csv, Form::Libsvm, Form::JsonLines, Form::LabelStudio}) {
    std::string csv = "name,f1,f2\n";
    for (int i = 0; i < 3000; ++i) csv += "r" + std::to_string(i) + ",1,2\n";
    csv += "far,0.5,3e38\n";
    int code = 0;
    EXPECT_THAT(refusal([&] { predict(csv, {.form = form}, *model, options); }, &code),
                HasSubstr("row 3001 'far' (counting from 1): the model has no finite scores for "
                          "it; feature 2 is 3e+38"));
    EXPECT_EQ(code, 3);
  }
}

TEST(Predict, refuses_a_row_without_finite_scores_by_its_number_and_id) {
  Dataset data;
  Matrix x(3, 2);
  x(1, 0) = -3e38F;
  data.features = std::move(x);
  data.candidates = LabelMatrix(3, 2);
  data.ids = {"a", "b", "c"};
  ThreadPool pool(1);
  EXPECT_THAT(refusal([&] { predict(*loud_echo(), data, pool); }), HasSubstr("row 2 'b' (count"));
}

TEST_F(PredictFiles, refuses_data_without_a_feature_of_the_model) {
  EXPECT_THAT(refusal([&] { predict("f1,size\n1,2\n"); }), HasSubstr("'f2'"));
}

}  // namespace
}  // namespace sieve::test
