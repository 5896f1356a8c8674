#include "labelsieve/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "echo.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> answers(const Model& model, const std::string& lines,
                                 const StreamOptions& options = {}, Streamed* streamed = nullptr) {
  MemoryInput in(lines, 7);
  MemoryOutput out;
  const Streamed counts = predict_stream(model, in, out, options);
  if (streamed != nullptr) *streamed = counts;
  std::vector<std::string> found;
  std::istringstream cut(out.text);
  for (std::string line; std::getline(cut, line);) found.push_back(line);
  return found;
}

TEST(PredictStream, answers_lists_and_objects_and_keeps_ids) {
  const std::string lines =
      "[0.5, 0.25]\n"
      "{\"f2\": 1, \"f1\": 0.75, \"id\": \"b7\", \"colour\": \"red\", \"tags\": [\"x\"]}\n"
      "\n"
      "{\"id\": 12, \"f1\": \"0.5\", \"f2\": true}";
  EXPECT_THAT(answers(Echo(), lines),
              ElementsAre("{\"row\":0,\"scores\":{\"sun\":0.5,\"sea\":0.25}}",
                          "{\"id\":\"b7\",\"row\":1,\"scores\":{\"sun\":0.75,\"sea\":1}}",
                          "{\"id\":\"12\",\"row\":2,\"scores\":{\"sun\":0.5,\"sea\":1}}"));
}

TEST(PredictStream, answers_a_row_without_finite_scores_with_an_error_and_goes_on) {
  const std::vector<std::string> found =
      answers(*loud_echo(), "[1, 2]\n{\"id\": \"far\", \"f1\": 1, \"f2\": 3e38}\n[3, 4]\n");
  EXPECT_THAT(found, ElementsAre("{\"row\":0,\"scores\":{\"sun\":1000,\"sea\":2000}}",
                                 HasSubstr("{\"id\":\"far\",\"row\":1,\"error\":\"the model has no "
                                           "finite scores for it; feature 2 is 3e+38\",\"hint\""),
                                 "{\"row\":2,\"scores\":{\"sun\":3000,\"sea\":4000}}"));
}

TEST(PredictStream, answers_a_bad_line_with_an_error_and_goes_on) {
  const std::string lines =
      "[0.5]\n"
      "{\"id\": \"a\", \"f1\": 1}\n"
      "{\"id\": \"b\", \"f1\": 1, \"f2\": \"much\"}\n"
      "not json\n"
      "{\"f1\": 1, \"f2\": 1e300}\n"
      "\"text\"\n"
      "[[1], 2]\n"
      "{\"f1\": {}, \"f2\": 1}\n"
      "\xff\xfe\n"
      "[1, 0]\n";
  Streamed streamed;
  const std::vector<std::string> found = answers(Echo(), lines, {}, &streamed);
  ASSERT_EQ(found.size(), 10U);
  EXPECT_THAT(found[0], AllOf(HasSubstr("{\"row\":0,\"error\":"), HasSubstr("1 numbers")));
  EXPECT_THAT(found[1], AllOf(HasSubstr("{\"id\":\"a\",\"row\":1,\"error\":"), HasSubstr("'f2'")));
  EXPECT_THAT(found[2], HasSubstr("{\"id\":\"b\",\"row\":2,\"error\":"));
  for (std::size_t i = 3; i < 9; ++i)
    EXPECT_THAT(found[i], HasSubstr("{\"row\":" + std::to_string(i) + ",\"error\":"));
  EXPECT_EQ(found[9], "{\"row\":9,\"scores\":{\"sun\":1,\"sea\":0}}");
  EXPECT_EQ(streamed.rows, 10U);
  EXPECT_EQ(streamed.refused, 9U);
}

TEST(PredictStream, passes_over_a_line_without_end_in_little_memory) {
  StreamOptions options;
  options.longest_line = 100;
  const std::vector<std::string> found = answers(
      Echo(), "[" + std::string(500000, ' ') + "1,1]\n[1,0]\n" + std::string(300, '1'), options);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0], HasSubstr("too long"));
  EXPECT_EQ(found[1], "{\"row\":1,\"scores\":{\"sun\":1,\"sea\":0}}");
  EXPECT_THAT(found[2], HasSubstr("too long"));
}

// Fails if a line is asked for before the one before it is answered.
class Conversation final : public InputStream {
 public:
  explicit Conversation(const MemoryOutput& out) : out_(out) {}
  std::size_t read(char* into, std::size_t) override {
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(out_.text, '\n')), asked_);
    if (asked_ == 3) return 0;
    const std::string_view line = "[1, 0]\n";
    std::ranges::copy(line, into);
    ++asked_;
    return line.size();
  }

 private:
  const MemoryOutput& out_;
  std::size_t asked_ = 0;
};

TEST(PredictStream, answers_each_line_before_it_waits_for_the_next) {
  MemoryOutput out;
  Conversation in(out);
  EXPECT_EQ(predict_stream(Echo(), in, out).rows, 3U);
}

TEST(PredictStream, gives_decisions_and_the_best_labels) {
  StreamOptions options;
  options.layout.kind = PredictionLayout::Kind::Decisions;
  EXPECT_THAT(answers(Echo(), "[0.25, 0.5]\n", options),
              ElementsAre("{\"row\":0,\"labels\":[\"sea\"]}"));
  options.layout = {.kind = PredictionLayout::Kind::Top, .top = 1};
  EXPECT_THAT(answers(Echo(), "[0.25, 0.5]\n", options),
              ElementsAre("{\"row\":0,\"labels\":[\"sea\"],\"scores\":[0.5]}"));
}

TEST(PredictStream, takes_ids_from_another_key_or_from_none) {
  StreamOptions options;
  options.id_column = "name";
  EXPECT_THAT(answers(Echo(), "{\"name\": \"n\", \"id\": 3, \"f1\": 0, \"f2\": 0}\n", options),
              ElementsAre(HasSubstr("\"id\":\"n\"")));
  options.id_column = "";
  EXPECT_THAT(answers(Echo(), "{\"id\": 3, \"f1\": 0, \"f2\": 0}\n", options),
              ElementsAre(Not(HasSubstr("id"))));
}

// Scores are the features, however many its table makes.
class TableEcho final : public Model {
 public:
  explicit TableEcho(std::shared_ptr<const FeatureRecipe> recipe,
                     std::vector<std::string> names = {}) {
    state_.features = recipe ? recipe->width() : names.size();
    state_.feature_names = recipe ? recipe->feature_names() : std::move(names);
    state_.label_names = state_.feature_names;
    for (std::size_t k = state_.label_names.size(); k < state_.features; ++k)
      state_.label_names.push_back("label" + std::to_string(k));
    state_.recipe = std::move(recipe);
  }
  explicit TableEcho(std::size_t features) {
    state_.features = features;
    for (std::size_t k = 0; k < features; ++k) state_.label_names.push_back(std::to_string(k));
  }
  Matrix scores(const Features& x, ThreadPool& pool) const override {
    return Echo().scores(x, pool);
  }
  LabelMatrix decide(const Matrix& scores) const override { return Echo().decide(scores); }
  Matrix candidate_probabilities(const TrainingData&, ThreadPool&) const override { return {}; }
  const ModelState& state() const override { return state_; }

 private:
  ModelState state_;
};

TEST(PredictStream, makes_features_of_text_categories_and_gaps_by_the_recipe_of_the_model) {
  const TempFolder folder;
  std::string csv = "age,colour,review,label:a\n";
  for (int i = 0; i < 30; ++i)
    csv += (i % 5 == 0 ? "," : std::to_string(i % 4) + ",") + (i % 2 == 0 ? "red," : "blue,") +
           (i % 3 == 0 ? "a great thing to have around" : "not so good of them to say it") +
           (i % 3 == 0 ? ",1\n" : ",0\n");
  write_file(folder / "t.csv", csv);
  ReadOptions options;
  options.table.text = {"review"};
  const Dataset data = read_dataset({folder / "t.csv"}, options);
  ASSERT_NE(data.recipe, nullptr);
  const TableEcho model(data.recipe);
  const std::string row =
      "{\"review\": \"not so good of them to say it\", \"colour\": \"blue\", \"age\": 1}\n"
      "[null, \"red\", \"a great thing to have around\"]\n"
      "{\"colour\": \"green\"}\n"
      "{\"age\": \"old\"}\n";
  const std::vector<std::string> found = answers(model, row);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_THAT(found[0], AllOf(HasSubstr("\"age\":1,"), HasSubstr("\"age is missing\":0,"),
                              HasSubstr("\"colour=blue\":1,"), HasSubstr("\"colour=red\":0,")));
  EXPECT_THAT(found[1], AllOf(HasSubstr("\"age is missing\":1,"), HasSubstr("\"colour=red\":1,"),
                              HasSubstr("\"review: great\":0.")));
  EXPECT_THAT(found[2], AllOf(HasSubstr("\"colour=blue\":0,"), HasSubstr("\"colour=red\":0,")));
  EXPECT_THAT(found[3], AllOf(HasSubstr("\"error\""), HasSubstr("age")));

  Streamed streamed;
  const std::vector<std::string> unknown_cells = answers(
      model, "{\"id\": \"a\"}\n{\"Age\": 3, \"color\": \"red\"}\n{\"age\": null}\n", {}, &streamed);
  ASSERT_EQ(unknown_cells.size(), 3U);
  EXPECT_THAT(
      unknown_cells[0],
      AllOf(HasSubstr("{\"id\":\"a\",\"row\":0,\"error\":\"this row has none of the columns"),
            HasSubstr("'age', 'colour', 'review'")));
  EXPECT_THAT(unknown_cells[1], HasSubstr("none of the columns"));
  EXPECT_THAT(unknown_cells[2], HasSubstr("\"age is missing\":1,"));
  EXPECT_EQ(streamed.refused, 2U);
}

TEST(PredictStream, refuses_a_row_that_gives_a_key_twice) {
  const std::vector<std::string> found =
      answers(Echo(), "{\"id\": \"a\", \"f1\": 1, \"f2\": 0, \"f1\": 0}\n[1, 0]\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0], HasSubstr("\"row\":0,\"error\":\"the key 'f1' is there twice\""));
  EXPECT_EQ(found[1], "{\"row\":1,\"scores\":{\"sun\":1,\"sea\":0}}");
}

TEST(PredictStream, takes_lists_under_a_key_for_columns_of_a_list_and_for_those_without_names) {
  EXPECT_THAT(answers(TableEcho(nullptr, {"x[0]", "x[1]", "age"}), "{\"age\": 3, \"x\": [1, 2]}\n"),
              ElementsAre("{\"row\":0,\"scores\":{\"x[0]\":1,\"x[1]\":2,\"age\":3}}"));
  EXPECT_THAT(answers(TableEcho(2), "{\"id\": \"i\", \"features\": [1, 2]}\n[3, 4]\n"),
              ElementsAre("{\"id\":\"i\",\"row\":0,\"scores\":{\"0\":1,\"1\":2}}",
                          "{\"row\":1,\"scores\":{\"0\":3,\"1\":4}}"));
}

}  // namespace
}  // namespace sieve::test
