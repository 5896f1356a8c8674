#include "labelsieve/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelState model_of(std::vector<std::string> names, std::size_t features) {
  ModelState state;
  state.feature_names = std::move(names);
  state.features = features;
  return state;
}

// One row: 1, 2, 3, ...
Features row_of(std::size_t count) {
  Matrix x(1, count);
  for (std::size_t k = 0; k < count; ++k) x(0, k) = static_cast<float>(k + 1);
  return x;
}

std::vector<float> matched(const ModelState& model, Features x,
                           const std::vector<std::string>& names) {
  const FeatureMatch match = match_features(model, x, names);
  const Features out = matched_features(match, model, std::move(x));
  std::vector<float> values(out.cols());
  out.copy_row(0, values);
  return values;
}

TEST(FeatureMatch, goes_by_name_and_ignores_what_is_more) {
  const ModelState model = model_of({"c", "a"}, 2);
  EXPECT_THAT(matched(model, row_of(3), {"a", "b", "c"}), ElementsAre(3, 1));
  EXPECT_THAT(matched(model, row_of(3).to_sparse(), {"a", "b", "c"}), ElementsAre(3, 1));
  EXPECT_THAT(match_features(model, row_of(3), {"a", "b", "c"}).ignored, ElementsAre("b"));
  EXPECT_THAT(matched(model, row_of(2), {"c", "a"}), ElementsAre(1, 2));
}

TEST(FeatureMatch, goes_by_order_where_a_side_has_no_names) {
  EXPECT_THAT(matched(model_of({}, 2), row_of(2), {"x", "y"}), ElementsAre(1, 2));
  EXPECT_THAT(matched(model_of({"x", "y"}, 2), row_of(2), {}), ElementsAre(1, 2));
}

TEST(FeatureMatch, refuses_missing_names_and_other_numbers) {
  int code = 0;
  EXPECT_THAT(refusal(
                  [] {
                    match_features(model_of({"a", "b", "c", "d", "e"}, 5), row_of(1), {"c"});
                  },
                  &code),
              HasSubstr("'a', 'b', 'd' and 1 more"));
  EXPECT_EQ(code, 3);
  EXPECT_THAT(refusal([] { match_features(model_of({}, 5), row_of(4), {}); }, &code),
              HasSubstr("trained on 5 features, but the data has 4"));
  EXPECT_EQ(code, 3);
}

TEST(FeatureMatch, sparse_rows_without_names_may_end_early) {
  EXPECT_THAT(matched(model_of({}, 4), row_of(2).to_sparse(), {}), ElementsAre(1, 2, 0, 0));
  int code = 0;
  refusal([] { match_features(model_of({}, 2), row_of(3).to_sparse(), {}); }, &code);
  EXPECT_EQ(code, 3);
}

}  // namespace
}  // namespace sieve::test
