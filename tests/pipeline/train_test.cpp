#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labelsieve/model_io.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

const std::map<std::string, std::string> kFew = {{"trees", "10"}, {"leaf", "3"}};

Dataset crowd(std::size_t annotators_per_row = 3) {
  ThreadPool pool(1);
  return make_synthetic({.rows = 200,
                         .features = 8,
                         .labels = 4,
                         .annotators_per_row = annotators_per_row,
                         .noise = 1.2,
                         .votes = true},
                        pool);
}

std::string bytes(const Model& model) {
  return encode_state(model.state(), StateKind::Model);
}

std::string trained(const Dataset& data, TrainRequest request = {}) {
  if (request.method.empty()) request.method = "forest", request.settings = kFew;
  return bytes(*train(data, request).model);
}

std::string fitted(const TrainingData& data) {
  return bytes(*make_learner("forest", kFew)->fit(data, {}));
}

TEST(Fit, on_votes_that_nobody_weighed_says_who_can) {
  const Dataset data = crowd();
  int code = 0;
  for (const MethodInfo& method : all_methods()) {
    const std::string message =
        refusal([&] { make_learner(method.name)->fit(training_data(data), {}); }, &code);
    EXPECT_THAT(message, HasSubstr("train() of labelsieve/pipeline.h")) << method.name;
    EXPECT_EQ(code, 2);
  }
  EXPECT_NE(fitted(training_data(data).without_votes()), "");
}

TEST(Train, weighs_votes_unless_told_to_take_the_union) {
  const Dataset data = crowd();
  const std::string of_union = fitted(training_data(data).without_votes());
  EXPECT_EQ(trained(data, {.method = "forest", .settings = kFew, .learn_from = LearnFrom::Union}),
            of_union);
  EXPECT_NE(trained(data), of_union);
  const Trained weighed = train(data, {.method = "forest", .settings = kFew});
  EXPECT_EQ(weighed.candidates, data.candidates.count());
  ASSERT_TRUE(weighed.likely);
  EXPECT_NE(*weighed.likely, weighed.candidates);
}

TEST(Train, takes_candidates_as_they_are_without_votes) {
  Dataset data = crowd();
  data.votes = nullptr;
  EXPECT_EQ(trained(data), fitted(training_data(data)));
  EXPECT_FALSE(train(data, {.method = "forest", .settings = kFew}).likely);
}

TEST(Train, says_why_names_do_not_count) {
  const Trained model = train(crowd(1), {.method = "forest", .settings = kFew});
  EXPECT_THAT(model.names_ignored, HasSubstr("200 of 200 rows have one annotation"));
  EXPECT_FALSE(model.likely);
}

TEST(Train, learns_decided_cells_as_they_are_with_votes_and_without) {
  Dataset data = crowd();
  const TrainRequest decided{
      .method = "forest", .settings = kFew, .gold = {{0, 0, !data.candidates.get(0, 0)}}};
  EXPECT_NE(trained(data, decided), trained(data));
  data.votes = nullptr;
  const std::string with = trained(data, decided);
  data.candidates.set(0, 0, !data.candidates.get(0, 0));
  EXPECT_EQ(with, trained(data));
}

TEST(Train, learns_from_the_rows_asked_for) {
  const Dataset data = crowd();
  const std::vector<std::size_t> rows = {1, 5, 7, 20, 21, 22, 30, 31, 40, 44, 90, 91, 120, 199};
  const TrainRequest request{
      .method = "forest", .settings = kFew, .gold = {{2, 0, true}, {5, 1, true}}, .rows = rows};
  TrainRequest alone = request;
  alone.rows.reset();
  alone.gold = {{1, 1, true}};
  EXPECT_EQ(trained(data, request), trained(data.select_rows(rows), alone));
}

TEST(Train, gives_an_oracle_the_truth_and_nothing_else) {
  Dataset data = crowd();
  const std::map<std::string, std::string> quick = {{"members", "1"}, {"epochs", "1"}};
  const std::string with = trained(data, {.method = "oracle", .settings = quick});
  data.votes = nullptr;
  data.candidates = data.truth->clone();
  EXPECT_EQ(with, bytes(*make_learner("oracle", quick)->fit(training_data(data), {})));
  data.truth.reset();
  EXPECT_THAT(refusal([&] { train(data, {.method = "oracle"}); }), HasSubstr("is an oracle"));
}

TEST(Clean, keeps_what_is_likely_and_ranks_the_rest) {
  const Cleaned cleaned = clean(judge(crowd(), {.method = "forest", .settings = kFew}),
                                {.threshold = 0.4, .most_suspects = 7});
  EXPECT_EQ(cleaned.suspects.size(), 7U);
  EXPECT_EQ(cleaned.threshold, 0.4);
  ASSERT_TRUE(cleaned.quality);
  EXPECT_EQ(cleaned.labels.removed,
            cleaned.judged.data.candidates.count() - cleaned.labels.kept.count());
  EXPECT_LE(clean(judge(crowd(), {}), {.best = CleanFor::F1}).threshold, 0.5);
}

}  // namespace
}  // namespace sieve::test
