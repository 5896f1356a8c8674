#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labelsieve/methods.h"
#include "labelsieve/model_io.h"
#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using testing::HasSubstr;

Dataset crowd() {
  ThreadPool pool(1);
  return make_synthetic({.rows = 60, .features = 6, .labels = 4, .noise = 1}, pool);
}

std::string bytes_of(const Learner& learner) {
  return encode_state(learner.fit(training_data(crowd()), {})->state(), StateKind::Model);
}

TEST(TypedSettings, give_the_same_model_as_the_same_settings_by_name) {
  EXPECT_EQ(bytes_of(*make_forest({.trees = 5, .splits = ForestSettings::Splits::Best})),
            bytes_of(*make_learner("forest", {{"trees", "5"}, {"splits", "best"}})));
  EXPECT_EQ(
      bytes_of(*make_mlp({.members = 1, .depth = 1, .epochs = 2, .learning_rate = 0.01})),
      bytes_of(*make_learner(
          "mlp", {{"members", "1"}, {"depth", "1"}, {"epochs", "2"}, {"learning-rate", "0.01"}})));
  EXPECT_EQ(bytes_of(*make_mlp_noise({.width = 8, .epochs = 2, .noise_share = 0.85})),
            bytes_of(*make_learner("mlp-noise",
                                   {{"width", "8"}, {"epochs", "2"}, {"noise-share", "0.85"}})));
  EXPECT_EQ(bytes_of(*make_pml_gan({.objective = PmlGanSettings::Objective::Paper,
                                    .width = 8,
                                    .epochs = 1,
                                    .beta = 0.1,
                                    .on_collapse = PmlGanSettings::OnCollapse::Continue})),
            bytes_of(*make_learner("pml-gan", {{"objective", "paper"},
                                               {"width", "8"},
                                               {"epochs", "1"},
                                               {"beta", "0.1"},
                                               {"on-collapse", "continue"}})));
  EXPECT_EQ(bytes_of(*make_blend({.trees = 5, .width = 4, .epochs = 1})),
            bytes_of(*make_learner("blend", {{"trees", "5"}, {"width", "4"}, {"epochs", "1"}})));
}

TEST(TypedSettings, are_refused_out_of_range_as_their_options_are) {
  int code = 0;
  EXPECT_THAT(refusal([] { make_forest({.trees = 0}); }, &code),
              HasSubstr("'trees' cannot be '0'"));
  EXPECT_EQ(code, 2);
  EXPECT_THAT(refusal([] { make_mlp({.dropout = 1}); }), HasSubstr("'dropout' cannot be '1'"));
}

TEST(TypedSettings, options_that_went_into_the_objective_are_read_at_their_defaults_only) {
  EXPECT_NE(make_learner("pml-gan", {{"prior", "auto"}, {"classification-reduction", "sum"}}),
            nullptr);
  int code = 0;
  EXPECT_THAT(refusal(
                  [] {
                    make_learner("pml-gan", {{"prior", "bernoulli"}});
                  },
                  &code),
              HasSubstr("'prior' can no longer be set"));
  EXPECT_EQ(code, 2);
}

}  // namespace
}  // namespace sieve::test
