#include "labelsieve/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "echo.h"
#include "support/memory_streams.h"
#include "support/support.h"

namespace sieve::test {
namespace {

// Two rows whose labels stand the other way round than the model has them; "sea" of row 0 is noise.
Judged judged_set() {
  Dataset data;
  Matrix x(2, 2);
  x(0, 0) = 0.75F, x(0, 1) = 0.25F, x(1, 0) = 0.5F, x(1, 1) = 1;
  data.features = std::move(x);
  data.feature_names = {"f1", "f2"};
  data.label_names = {"sea", "sun"};
  data.candidates = labels_of({"11", "10"});
  data.truth = labels_of({"01", "10"});
  const Echo echo;
  return judge(std::move(data), {.model = &echo, .name = "echo"});
}

TEST(JudgeByModel, brings_the_labels_into_the_order_of_the_model) {
  const Judged judged = judged_set();
  EXPECT_EQ(judged.data.label_names, (std::vector<std::string>{"sun", "sea"}));
  EXPECT_EQ(judged.probabilities(0, 0), 0.75F);
  EXPECT_EQ(judged.probabilities(0, 1), 0.25F);
  EXPECT_EQ(judged.probabilities(1, 1), 1);
}

TEST(NoiseOfLabels, stands_beside_the_real_noise) {
  const std::vector<NoiseOfLabel> noise = noise_of_labels(judged_set());
  ASSERT_EQ(noise.size(), 2U);
  EXPECT_EQ(noise[0].candidates, 1U);
  EXPECT_DOUBLE_EQ(noise[0].estimated, 0.25);
  EXPECT_EQ(noise[0].real, 0);
  EXPECT_DOUBLE_EQ(noise[1].estimated, 0.375);
  EXPECT_EQ(noise[1].real, 0.5);
  EXPECT_DOUBLE_EQ(mean_noise(noise), 1.0 / 3);
  EXPECT_EQ(mean_noise({}), 0);
}

TEST(CleaningQuality, is_known_only_with_the_truth) {
  Judged judged = judged_set();
  EXPECT_EQ(cleaning_quality(judged).value().auc, 1);
  judged.data.truth.reset();
  EXPECT_FALSE(cleaning_quality(judged).has_value());
}

TEST(WriteSuspects, lists_candidates_with_confidence_and_truth) {
  const Judged judged = judged_set();
  MemoryOutput out;
  write_suspects(judged, ranked_candidates(judged.probabilities, judged.data.candidates), out);
  EXPECT_EQ(out.text, "row,label,probability,truth\n0,sea,0.25,0\n0,sun,0.75,1\n1,sea,1,1\n");
}

}  // namespace
}  // namespace sieve::test
