#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/model_io.h"
#include "labelsieve/prepare.h"
#include "methods/blend/blend_model.h"
#include "methods/neighbours/neighbours_model.h"
#include "methods/quick_learner.h"
#include "methods/ridge/ridge_model.h"
#include "methods/shared/decision.h"
#include "onnx_run.h"
#include "support/python_check.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

Dataset crowd() {
  ThreadPool pool(1);
  return make_synthetic({.rows = 300, .features = 20, .labels = 6}, pool);
}

std::unique_ptr<Model> learnt(const std::string& method, const Dataset& data) {
  ThreadPool pool(1);
  FitOptions fit;
  fit.threads = &pool;
  return quick_learner(method_info(method))->fit(training_data(data), fit);
}

bool can_be_written(const std::string& method) {
  const std::vector<std::string> others = {"capml", "ml-rbf", "particle-vls", "particle-map"};
  return std::ranges::find(others, method) == others.end();
}

std::vector<std::string> methods_to_write() {
  std::vector<std::string> names = method_names();
  std::erase_if(names, [](const std::string& name) { return !can_be_written(name); });
  return names;
}

class OnnxOfEveryMethod : public ::testing::TestWithParam<std::string> {};
class OnnxFileOf : public ::testing::TestWithParam<std::string> {};

TEST_P(OnnxOfEveryMethod, says_what_the_model_says_or_is_refused_by_name) {
  const Dataset data = crowd();
  const auto model = learnt(GetParam(), data);
  ThreadPool pool(2);
  if (!can_be_written(GetParam())) {
    int code = 0;
    EXPECT_THAT(refusal([&] { encode_onnx(*model); }, &code), HasSubstr(GetParam()));
    EXPECT_EQ(code, 4);
    return;
  }
  const OnnxDifference apart = compare_with_onnx(*model, data.features, pool);
  EXPECT_LE(apart.scores, 1e-5);
  EXPECT_LE(apart.probabilities, 1e-5);
  EXPECT_EQ(apart.labels, 0U);
}

TEST_P(OnnxFileOf, chooses_one_class_per_row_where_labels_exclude_each_other) {
  const Dataset data = crowd();
  const auto model = learnt(GetParam(), data);
  ThreadPool pool(2);
  const Matrix wanted = model->probabilities(data.features, pool);
  const Matrix rows = data.features.to_dense(std::numeric_limits<std::size_t>::max());
  const OnnxClassesFound found =
      run_onnx_classes(encode_onnx(*model, {.numbers = {10, 20, 30, 40, 50, 60}}), rows);
  for (std::size_t i = 0; i < wanted.rows(); ++i) {
    const auto row = wanted.row(i);
    const auto best = static_cast<double>(std::ranges::max_element(row) - row.begin());
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    EXPECT_EQ(found.label[i], 10 * (best + 1)) << i;
    for (std::size_t k = 0; k < wanted.cols(); ++k)
      EXPECT_NEAR(found.probabilities(i, k), row[k] / sum, 1e-5);
  }
  EXPECT_NE(refusal([&] { encode_onnx(*model, {.names = {"one"}}); }), "");
}

TEST_P(OnnxFileOf, is_a_valid_graph_to_the_checker_of_onnx) {
  if (!python_imports("onnx")) {
    const char* ci = std::getenv("CI");
    ASSERT_FALSE(ci != nullptr && std::string_view(ci) == "true") << "CI must have python3-onnx";
    GTEST_SKIP() << "install python3-onnx to check graphs with it";
  }
  const TempFolder folder;
  const auto model = learnt(GetParam(), crowd());
  const std::uint64_t bytes = export_onnx(*model, folder / "model.onnx");
  EXPECT_EQ(bytes, read_file(folder / "model.onnx").size());
  const auto found = run_python("model_io/onnx_check.py", folder.path());
  EXPECT_EQ(found.at("features"), 20);
  EXPECT_EQ(found.at("labels"), 6);
  EXPECT_EQ(found.at("opset"), 13);
  EXPECT_EQ(found.at("label_names"), 6);
  EXPECT_EQ(found.at("feature_names"), static_cast<double>(model->state().feature_names.size()));
  EXPECT_EQ(found.at(GetParam()), 1);  // the method
}

INSTANTIATE_TEST_SUITE_P(Methods, OnnxOfEveryMethod, ::testing::ValuesIn(method_names()),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Methods, OnnxFileOf, ::testing::ValuesIn(methods_to_write()), test_name);

// A linear model whose scores are its features, with a decision rule of the test's own.
std::unique_ptr<Model> echo_with(const Decision& decision) {
  ModelState state;
  state.method = "nlr";
  state.features = 3;
  state.label_names = {"a", "b", "c"};
  state.tensors = {{"weights", {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  decision.write(state);
  CandidateConfidence{}.write(state);
  return method_info("nlr").load(state);
}

TEST(Onnx, has_every_decision_rule) {
  Matrix rows(4, 3);
  const float cells[4][3] = {{0.2F, 0.5F, 0.9F}, {1, 1, 1}, {-3, 2, 2}, {0.5F, 0.4F, 0.3F}};
  for (std::size_t i = 0; i < 4; ++i) std::copy_n(cells[i], 3, rows.row(i).begin());
  using Rule = Decision::Rule;
  const std::vector<Decision> rules = {{},
                                       {Rule::RowMinMax, 0.4, 1, {}},
                                       {Rule::Regressed, 0, 1, {0.5F, 0.25F, 0.25F, 0.05F}},
                                       {Rule::Top, 0, 0, {}},
                                       {Rule::Top, 0, 1, {}},
                                       {Rule::Top, 0, 2, {}}};
  for (const Decision& rule : rules) {
    const auto model = echo_with(rule);
    const LabelMatrix wanted = rule.decide(rows);
    const OnnxResult found = run_onnx(encode_onnx(*model), rows);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(found.scores(i, k), rows(i, k));
        EXPECT_EQ(found.labels.get(i, k), wanted.get(i, k)) << name_of(rule.rule) << i << k;
      }
  }
}

// Two networks of one feature, one as good as sure and the other sure of the contrary.
std::unique_ptr<Model> quarrelling_blend() {
  ModelState state;
  state.method = "blend";
  state.features = 1;
  state.label_names = {"a"};
  state.scaler = {Scaling::MinMax, {1}, {0}};
  for (const auto& [part, logit] : {std::pair("networks/", 12.0F), std::pair("game/", -12.0F)}) {
    const std::string name = part;
    state.tensors.push_back({name + "mean", {1}, {0}});
    state.tensors.push_back({name + "noise_rate", {1}, {0.25F}});
    state.tensors.push_back({name + "member0/layer0/weights", {1, 1}, {1}});
    state.tensors.push_back({name + "member0/layer0/shift", {1}, {logit}});
  }
  state.tensors.push_back({"weights", {2}, {0.5F, 0.5F}});
  for (const char* name : {"candidate_rate", "noise_rate", "offset"})
    state.tensors.push_back({name, {1}, {0}});
  state.tensors.push_back({"across", {1, 1}, {0}});
  return method_info("blend").load(state);
}

// Next to 1, the last bit of a probability is a hundredth of its odds.
TEST(Onnx, rounds_probabilities_next_to_1_as_the_model_does) {
  Matrix rows(200, 1);
  for (std::size_t i = 0; i < rows.rows(); ++i) rows(i, 0) = 0.01F * static_cast<float>(i) - 1;
  ThreadPool pool(1);
  const auto model = quarrelling_blend();
  EXPECT_LE(compare_with_onnx(*model, Features(std::move(rows)), pool).scores, 1e-5);
}

// The first rows of a crowd have labels, the others have not.
TrainingData with_few_labels(const Dataset& data, std::size_t labelled) {
  std::vector<std::size_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  TrainingData out = training_data(data).subset(std::span(rows).first(labelled));
  out.unlabelled =
      std::make_shared<const Features>(data.features.subset(std::span(rows).subspan(labelled)));
  return out;
}

std::unique_ptr<NeighboursModel> neighbours(const TrainingData& data) {
  ThreadPool pool(1);
  Progress silent;
  return fit_neighbours(data, std::vector<float>(data.labels(), 0.3F), 1, pool, silent);
}

TEST(OnnxOfNeighbours, says_what_they_say) {
  const Dataset data = crowd();
  ThreadPool pool(1);
  for (const std::size_t labelled : {std::size_t{6}, std::size_t{60}}) {
    const OnnxDifference apart =
        compare_with_onnx(*neighbours(with_few_labels(data, labelled)), data.features, pool);
    EXPECT_LE(apart.scores, 1e-6) << labelled;
    EXPECT_EQ(apart.labels, 0U);
  }
}

TEST(OnnxOfNeighbours, takes_fewer_points_than_a_row_could_have_neighbours) {
  const Dataset data = crowd();
  ThreadPool pool(1);
  const TrainingData few = training_data(data).subset(std::vector<std::size_t>{1, 2, 3, 5, 8, 13});
  EXPECT_LE(compare_with_onnx(*neighbours(few), data.features, pool).scores, 1e-6);
}

// Forty times each row: all neighbours of a row are the row itself, at a distance of 0, which a
// product of numbers far from 0 would miss.
TEST(OnnxOfNeighbours, weighs_rows_that_are_the_same_alike) {
  Dataset data = crowd();
  Matrix rows(300, 4);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j)
      rows(i, j) = 1e4F + static_cast<float>((i % 7 + 1) * (j + 1) % 5);
  data.features = Features(std::move(rows));
  data.feature_names.clear();
  ThreadPool pool(1);
  const auto model = neighbours(training_data(data));
  EXPECT_LE(compare_with_onnx(*model, data.features, pool).scores, 1e-5);
}

TEST(OnnxOfNeighbours, is_part_of_a_blend_that_learnt_from_rows_without_labels) {
  const Dataset data = crowd();
  ThreadPool pool(2);
  FitOptions fit;
  fit.threads = &pool;
  const auto model = quick_learner(method_info("blend"))->fit(with_few_labels(data, 60), fit);
  const auto& blend = dynamic_cast<const BlendModel&>(*model);
  bool kept = false;
  for (std::size_t p = 0; p < blend.parts().size(); ++p)
    kept |= dynamic_cast<const NeighboursModel*>(blend.parts()[p].get()) != nullptr &&
            blend.weights()[p] > 0;
  ASSERT_TRUE(kept);
  const OnnxDifference apart = compare_with_onnx(*model, data.features, pool);
  EXPECT_LE(apart.scores, 1e-5);
  EXPECT_LE(apart.probabilities, 1e-5);
}

TEST(OnnxOfSparseRows, has_their_regression_as_a_part_of_a_blend) {
  Dataset data = crowd();
  Matrix words(data.rows(), data.features.cols());
  std::vector<float> row(words.cols());
  for (std::size_t i = 1; i < words.rows(); ++i) {  // the first row has no word
    data.features.copy_row(i, row);
    for (std::size_t j = 0; j < row.size(); ++j) words(i, j) = std::max(0.0F, row[j] - 1);
  }
  data.features = Features(Features(std::move(words)).to_sparse());
  ThreadPool pool(2);
  Progress silent;
  const auto alone =
      fit_ridge_part(training_data(data), std::vector<float>(data.labels(), 0.3F), pool, silent);
  ASSERT_NE(alone, nullptr);
  EXPECT_LE(compare_with_onnx(*alone, data.features, pool).scores, 1e-6);
  const auto model = learnt("blend", data);
  const auto& blend = dynamic_cast<const BlendModel&>(*model);
  EXPECT_TRUE(std::ranges::any_of(blend.parts(), [](const auto& part) {
    return dynamic_cast<const RidgeModel*>(part.get()) != nullptr;
  }));
  EXPECT_LE(compare_with_onnx(*model, data.features, pool).scores, 1e-5);
}

// A table of numbers, the second column of which had missing values.
Dataset table_with_gaps() {
  const TempFolder folder;
  std::string text = "height,weight,label:tall,label:heavy\n";
  for (int i = 0; i < 60; ++i)
    text += std::to_string(i % 10) + "," + (i % 7 == 3 ? "NA" : std::to_string(i % 13)) + "," +
            (i % 10 > 5 ? "1," : "0,") + (i % 13 > 6 ? "1\n" : "0\n");
  write_file(folder / "gaps.csv", text);
  return read_dataset({folder / "gaps.csv"});
}

TEST(Onnx, fills_in_and_marks_missing_numbers) {
  const Dataset data = table_with_gaps();
  ASSERT_NE(data.recipe, nullptr);
  ASSERT_EQ(data.features.cols(), 3U);
  const auto model = learnt("forest", data);
  ThreadPool pool(1);
  EXPECT_LE(compare_with_onnx(*model, data.features, pool).scores, 1e-5);
  Matrix rows(1, 2);
  rows(0, 0) = 3;
  rows(0, 1) = std::numeric_limits<float>::quiet_NaN();
  const Matrix wanted = model->scores(data.features.slice(3, 4), pool);  // row 3 has the gap
  const OnnxResult found = run_onnx(encode_onnx(*model), rows);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(found.scores(0, k), wanted(0, k), 1e-5);
}

TEST(Onnx, refuses_text_and_categories_by_the_name_of_their_column) {
  const TempFolder folder;
  std::string text = "colour,age,label:a,label:b\n";
  for (int i = 0; i < 40; ++i)
    text += std::string(i % 2 == 0 ? "red," : "blue,") + std::to_string(i) +
            (i % 3 == 0 ? ",1,0\n" : ",0,1\n");
  write_file(folder / "table.csv", text);
  const auto model = learnt("nlr", read_dataset({folder / "table.csv"}));
  int code = 0;
  const std::string message = refusal([&] { encode_onnx(*model); }, &code);
  EXPECT_THAT(message, HasSubstr("column 'colour', which holds categories,"));
  EXPECT_EQ(code, 4);
}

TEST(Onnx, does_not_replace_a_file_unless_told) {
  const TempFolder folder;
  const auto model = echo_with({});
  write_file(folder / "model.onnx", "as it was");
  EXPECT_NE(refusal([&] { export_onnx(*model, folder / "model.onnx"); }), "");
  EXPECT_EQ(read_file(folder / "model.onnx"), "as it was");
  export_onnx(*model, folder / "model.onnx", IfExists::Replace);
  EXPECT_EQ(read_file(folder / "model.onnx"), encode_onnx(*model));
}

}  // namespace
}  // namespace sieve::test
