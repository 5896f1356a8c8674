#include "labelsieve/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "labelsieve/error.h"
#include "methods/shared/out_of_fold.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

float first_feature(const Features& x, std::size_t row) {
  RowRoom room;
  return x.row(row, room).values[0];
}

// A method that remembers the rows it saw (by their first feature) and answers 1 for those.
class Memory final : public Learner {
 public:
  class Remembers final : public Model {
   public:
    explicit Remembers(std::set<float> seen) : seen_(std::move(seen)) {}
    Matrix scores(const Features& x, ThreadPool&) const override {
      Matrix out(x.rows(), 2);
      for (std::size_t i = 0; i < x.rows(); ++i)
        for (std::size_t k = 0; k < 2; ++k)
          out(i, k) = seen_.contains(first_feature(x, i)) ? 1.0F : 0.25F;
      return out;
    }
    LabelMatrix decide(const Matrix&) const override { return {}; }
    Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override {
      return scores(data.features, pool);
    }
    const ModelState& state() const override { return state_; }

   private:
    std::set<float> seen_;
    ModelState state_;
  };

  std::unique_ptr<Model> fit(const TrainingData& data, const FitOptions&) const override {
    std::set<float> seen;
    for (std::size_t i = 0; i < data.rows(); ++i) seen.insert(first_feature(data.features, i));
    return std::make_unique<Remembers>(std::move(seen));
  }
};

TrainingData numbered_rows(std::size_t rows) {
  TrainingData data;
  Matrix x(rows, 1);
  data.candidates = LabelMatrix(rows, 2);
  for (std::size_t i = 0; i < rows; ++i) {
    x(i, 0) = static_cast<float>(i);
    data.candidates.set(i, i % 2);
  }
  data.features = std::move(x);
  data.label_names = {"a", "b"};
  return data;
}

TEST(OutOfFold, scores_come_from_models_that_did_not_see_the_row) {
  const TrainingData data = numbered_rows(9);
  const std::vector<std::size_t> learn = {0, 1, 2, 4, 5, 7, 8};
  const Matrix scores = out_of_fold_scores(data, learn, Memory(), 3, {}).scores;
  for (std::size_t i = 0; i < data.rows(); ++i) EXPECT_EQ(scores(i, 0), 0.25F) << i;
  EXPECT_THROW(out_of_fold_scores(data, learn, Memory(), 8, {}), Error);
}

TEST(OutOfFold, no_row_is_judged_by_a_model_that_saw_it) {
  for (const std::size_t folds : {2U, 3U, 7U}) {
    const CandidateScores probabilities =
        Memory().fit_out_of_fold(numbered_rows(7), folds, {}).probabilities;
    for (std::size_t i = 0; i < 7; ++i)
      EXPECT_EQ(probabilities(i, i % 2), 0.25F) << folds << " " << i;
  }
}

// A method whose models have no finite scores for the row whose first feature is 5.
class Fussy final : public Learner {
 public:
  class Refuses final : public Model {
   public:
    Matrix scores(const Features& x, ThreadPool&) const override {
      for (std::size_t i = 0; i < x.rows(); ++i)
        if (first_feature(x, i) == 5) throw NotFinite(i, "too large");
      return {x.rows(), 2};
    }
    LabelMatrix decide(const Matrix&) const override { return {}; }
    Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override {
      return scores(data.features, pool);
    }
    const ModelState& state() const override { return state_; }

   private:
    ModelState state_;
  };
  std::unique_ptr<Model> fit(const TrainingData&, const FitOptions&) const override {
    return std::make_unique<Refuses>();
  }
};

TEST(OutOfFold, a_row_that_a_model_refuses_has_its_number_among_all) {
  const TrainingData data = numbered_rows(9);
  const std::vector<std::size_t> learn = {0, 1, 2, 4, 5, 7, 8};
  EXPECT_THAT(refusal([&] { Fussy().fit_out_of_fold(data, 3, {}).probabilities; }),
              HasSubstr("row 6 (counting from 1): too large"));
  EXPECT_THAT(refusal([&] { out_of_fold_scores(data, learn, Fussy(), 3, {}); }),
              HasSubstr("row 6 (counting from 1): too large"));
}

// A method whose one fit judges every row without having seen it.
class KnowsTheRest final : public Learner {
 public:
  class Judge final : public Model, public OutOfFoldModel {
   public:
    Matrix scores(const Features& x, ThreadPool&) const override { return {x.rows(), 2}; }
    LabelMatrix decide(const Matrix&) const override { return {}; }
    Matrix candidate_probabilities(const TrainingData& data, ThreadPool& pool) const override {
      return scores(data.features, pool);
    }
    const ModelState& state() const override { return state_; }
    const Matrix* held_out_scores() const override { return &scores_; }
    Matrix held_out_probabilities(const LabelMatrix& candidates) const override {
      Matrix out(candidates.rows(), candidates.labels());
      for (std::size_t i = 0; i < out.rows(); ++i) out(i, i % 2) = 0.75F;
      return out;
    }

   private:
    ModelState state_;
    Matrix scores_{1, 2};
  };
  std::unique_ptr<Model> fit(const TrainingData& data, const FitOptions&) const override {
    rows_fitted.push_back(data.rows());
    return std::make_unique<Judge>();
  }
  OutOfFold fit_out_of_fold(const TrainingData& data, std::size_t,
                            const FitOptions& fit) const override {
    return out_of_fold_in_one_fit(*this, data, fit).value();
  }

  mutable std::vector<std::size_t> rows_fitted;
};

TEST(OutOfFold, one_fit_is_enough_for_a_method_that_judges_rows_unseen) {
  const KnowsTheRest learner;
  const CandidateScores probabilities =
      learner.fit_out_of_fold(numbered_rows(7), 3, {}).probabilities;
  EXPECT_EQ(learner.rows_fitted, std::vector<std::size_t>{7});
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(probabilities(i, i % 2), 0.75F);
}

TEST(OutOfFold, refuses_fewer_than_two_folds_or_more_than_rows) {
  for (const std::size_t folds : {0U, 1U, 8U}) {
    int code = 0;
    refusal([&] { Memory().fit_out_of_fold(numbered_rows(7), folds, {}).probabilities; }, &code);
    EXPECT_EQ(code, 2) << folds;
  }
}

Matrix confidence_of(std::initializer_list<std::initializer_list<float>> rows) {
  Matrix out(rows.size(), rows.begin()->size());
  std::size_t i = 0;
  for (const auto& row : rows) std::ranges::copy(row, out.row(i++).begin());
  return out;
}

TEST(RankedCandidates, the_least_sure_come_first) {
  const auto ranked =
      ranked_candidates(confidence_of({{0.9F, 0.2F}, {0.2F, 0}}), labels_of({"11", "10"}));
  ASSERT_EQ(ranked.size(), 3U);
  EXPECT_EQ(ranked[0].row, 0U);
  EXPECT_EQ(ranked[0].label, 1U);
  EXPECT_EQ(ranked[1].row, 1U);
  EXPECT_EQ(ranked[2].probability, 0.9F);
}

TEST(EstimatedNoise, is_the_mean_doubt_about_the_candidates_of_a_label) {
  const std::vector<double> noise =
      estimated_noise(confidence_of({{0.5F, 0, 0}, {1, 0.25F, 0}}), labels_of({"100", "110"}));
  EXPECT_DOUBLE_EQ(noise[0], 0.25);
  EXPECT_DOUBLE_EQ(noise[1], 0.75);
  EXPECT_TRUE(std::isnan(noise[2]));
}

TEST(RemoveSuspects, every_row_keeps_its_best_label) {
  const CleanedLabels cleaned =
      remove_suspects(confidence_of({{0.9F, 0.2F}, {0.1F, 0.3F}, {0, 0}, {0.5F, 0.5F}}),
                      labels_of({"11", "11", "00", "11"}), 0.5);
  EXPECT_EQ(cleaned.kept, labels_of({"10", "01", "00", "11"}));
  EXPECT_EQ(cleaned.removed, 2U);
  EXPECT_EQ(cleaned.rescued_rows, 1U);
}

TEST(RemoveSuspects, rows_may_be_empty_where_they_are_allowed_to_be) {
  const CleanedLabels cleaned =
      remove_suspects(confidence_of({{0.9F, 0.2F}, {0.1F, 0.3F}, {0, 0}}),
                      labels_of({"11", "11", "00"}), 0.5, EmptyRows::Allowed);
  EXPECT_EQ(cleaned.kept, labels_of({"10", "00", "00"}));
  EXPECT_EQ(cleaned.removed, 3U);
  EXPECT_EQ(cleaned.rescued_rows, 0U);
  EXPECT_EQ(cleaned.emptied_rows, 1U);
}

}  // namespace
}  // namespace sieve::test
