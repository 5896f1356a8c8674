#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "labelsieve/pipeline.h"
#include "methods/blend/blend_model.h"
#include "methods/blend/weights.h"
#include "methods/neighbours/neighbours_model.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kGroups = 4;

// Rows in a few groups that lie apart, each with a label of its own, and noise.
Dataset groups(std::size_t rows, double noise, std::uint64_t seed) {
  Random random(seed, Purpose::Test);
  Dataset data;
  Matrix x(rows, 12);
  data.candidates = LabelMatrix(rows, kGroups);
  data.truth.emplace(rows, kGroups);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t group = random.below(kGroups);
    for (std::size_t j = 0; j < x.cols(); ++j)
      x(i, j) = static_cast<float>(random.normal() + (j % kGroups == group ? 3 : 0));
    for (std::size_t k = 0; k < kGroups; ++k) {
      data.truth->set(i, k, k == group);
      data.candidates.set(i, k, k == group || random.chance(noise));
    }
  }
  data.features = Features(std::move(x));
  for (std::size_t k = 0; k < kGroups; ++k) data.label_names.push_back("label" + std::to_string(k));
  return data;
}

std::vector<std::size_t> rows_between(std::size_t first, std::size_t last) {
  std::vector<std::size_t> rows;
  for (std::size_t i = first; i < last; ++i) rows.push_back(i);
  return rows;
}

// The first rows of `data` have labels, the others have not.
TrainingData with_few_labels(const Dataset& data, std::size_t labelled) {
  TrainingData out = training_data(data).subset(rows_between(0, labelled));
  if (labelled < data.rows())
    out.unlabelled =
        std::make_shared<const Features>(data.features.subset(rows_between(labelled, data.rows())));
  return out;
}

std::unique_ptr<Model> quick_blend(const TrainingData& data, ThreadPool* pool = nullptr) {
  FitOptions fit;
  fit.threads = pool;
  return make_learner("blend", {{"trees", "20"}, {"width", "8"}, {"epochs", "2"}})->fit(data, fit);
}

std::unique_ptr<NeighboursModel> neighbours(const TrainingData& data) {
  ThreadPool pool(1);
  Progress silent;
  return fit_neighbours(data, std::vector<float>(data.labels(), 0.3F), 1, pool, silent);
}

TEST(Directions, are_those_in_which_rows_differ_whatever_the_unit) {
  Random random(1, Purpose::Test);
  Matrix x(500, 6);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const double common = random.normal();
    for (std::size_t j = 0; j < 4; ++j)
      x(i, j) =
          static_cast<float>(1000 + static_cast<double>(j + 1) * (common + 0.1 * random.normal()));
    x(i, 4) = static_cast<float>(random.normal());
    x(i, 5) = 7;  // says nothing
  }
  const Features features(std::move(x));
  ThreadPool pool(1), more(3);
  const Directions found = learn_directions(features, 1, 1, pool);
  ASSERT_EQ(found.turn.cols(), 1U);
  for (std::size_t j = 1; j < 4; ++j)
    EXPECT_NEAR(found.turn(j, 0) * static_cast<float>(j + 1) / found.turn(0, 0), 1, 0.05);
  EXPECT_LT(std::abs(found.turn(4, 0)), 0.1F * std::abs(found.turn(0, 0)));
  EXPECT_EQ(found.turn(5, 0), 0);
  EXPECT_EQ(learn_directions(features, 1, 1, more).turn.values()[0], found.turn.values()[0]);
  double mean = 0;
  const Matrix along = found.along(features, pool);
  for (std::size_t i = 0; i < along.rows(); ++i) mean += double{along(i, 0)} / 500;
  EXPECT_NEAR(mean, 0, 1e-3);
}

TEST(Directions, are_the_same_for_sparse_rows) {
  const Dataset data = groups(200, 0, 2);
  ThreadPool pool(1);
  const Features sparse(data.features.to_sparse());
  const Matrix dense_along = learn_directions(data.features, 3, 1, pool).along(data.features, pool);
  const Matrix sparse_along = learn_directions(sparse, 3, 1, pool).along(sparse, pool);
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(dense_along(i, c), sparse_along(i, c), 1e-4);
}

TEST(Directions, are_no_more_than_the_rows_can_tell_apart) {
  ThreadPool pool(1);
  Matrix alike(30, 5);
  EXPECT_EQ(learn_directions(Features(alike.clone()), 3, 1, pool).turn.cols(), 0U);
  for (std::size_t i = 0; i < 30; ++i) alike(i, 2) = static_cast<float>(i);
  EXPECT_EQ(learn_directions(Features(std::move(alike)), 3, 1, pool).turn.cols(), 1U);
}

TEST(RowGraph, spreads_what_a_row_says_among_those_that_are_like_it) {
  const Dataset data = groups(300, 0, 3);
  ThreadPool pool(1), more(3);
  Progress silent;
  const RowGraph graph(data.features, pool, silent);
  Matrix said(300, 1);
  said(0, 0) = 1;
  const Matrix spread = graph.spread(said, pool);
  double own = 0, others = 0, own_rows = 0;
  for (std::size_t i = 1; i < 300; ++i) {
    bool alike = true;
    for (std::size_t k = 0; k < kGroups; ++k)
      alike &= data.truth->get(i, k) == data.truth->get(0, k);
    (alike ? own : others) += double{spread(i, 0)};
    own_rows += alike ? 1 : 0;
  }
  EXPECT_GT(own / own_rows, 10 * others / (299 - own_rows));
  const Matrix again = graph.spread(said, more);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(spread(i, 0), again(i, 0));
}

TEST(RowGraph, takes_rows_that_are_all_the_same) {
  ThreadPool pool(1);
  Progress silent;
  Matrix said(40, 1);
  said(3, 0) = 1;
  const RowGraph graph(Features(Matrix(40, 2)), pool, silent);
  const Matrix spread = graph.spread(said, pool);
  for (const float value : spread.values()) EXPECT_TRUE(std::isfinite(value));
}

TEST(Neighbours, tell_more_with_rows_that_have_no_labels) {
  const Dataset data = groups(600, 0.4, 4), test = groups(400, 0, 5);
  ThreadPool pool(1);
  const auto precision = [&](const TrainingData& learnt) {
    return average_precision(neighbours(learnt)->scores(test.features, pool), *test.truth).value;
  };
  const TrainingData few = with_few_labels(data, 40);
  TrainingData alone = with_few_labels(data, 40);
  alone.unlabelled = nullptr;
  EXPECT_GT(precision(few), 0.95);
  EXPECT_GT(precision(few), precision(alone));
}

TEST(Neighbours, judge_no_row_by_its_own_labels) {
  Dataset data = groups(300, 0, 6);
  Random random(9, Purpose::Test);
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t k = 0; k < kGroups; ++k) data.candidates.set(i, k, random.chance(0.5));
  const auto model = neighbours(with_few_labels(data, 200));
  const Matrix& said = *model->held_out_scores();
  double ticked = 0, count = 0, others = 0;
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t k = 0; k < kGroups; ++k) {
      const bool on = data.candidates.get(i, k);
      (on ? ticked : others) += double{said(i, k)};
      count += on ? 1 : 0;
    }
  EXPECT_NEAR(ticked / count, others / (200 * kGroups - count), 0.03);
}

TEST(Neighbours, are_left_out_where_there_is_nothing_to_tell_rows_apart_by) {
  Dataset data = groups(30, 0.2, 7);
  EXPECT_EQ(neighbours(with_few_labels(data, 4)), nullptr);
  data.features = Features(Matrix(30, 3));
  EXPECT_EQ(neighbours(with_few_labels(data, 20)), nullptr);
}

TEST(Neighbours, take_the_same_rows_twice) {
  const Dataset data = groups(60, 0.3, 8);
  TrainingData rows = training_data(data);
  rows.unlabelled = std::make_shared<const Features>(data.features);
  ThreadPool pool(1);
  const Matrix scores = neighbours(rows)->scores(data.features, pool);
  for (const float score : scores.values()) EXPECT_TRUE(std::isfinite(score));
}

TEST(BlendOfFewLabels, has_the_same_bits_for_any_number_of_threads_and_from_its_file) {
  const Dataset data = groups(300, 0.3, 10);
  const TrainingData rows = with_few_labels(data, 60);
  ThreadPool one(1), three(3);
  const auto model = quick_blend(rows, &one);
  EXPECT_THAT(model->state().notes.at("kept"), HasSubstr("neighbours 0."));
  const std::string bytes = encode_state(model->state(), StateKind::Model);
  EXPECT_EQ(bytes, encode_state(quick_blend(rows, &three)->state(), StateKind::Model));
  const auto read = method_info("blend").load(decode_state(bytes, StateKind::Model, "model"));
  const Matrix a = model->scores(data.features, one), b = read->scores(data.features, three);
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t k = 0; k < a.cols(); ++k) EXPECT_EQ(a(i, k), b(i, k));
}

TEST(BlendOfFewLabels, refuses_neighbours_that_do_not_fit) {
  const auto model = quick_blend(with_few_labels(groups(200, 0.3, 11), 60));
  for (const char* name : {"mean", "turn", "points", "said", "offset", "slope", "noise_rate"}) {
    ModelState state = model->state();
    const auto tensor =
        std::ranges::find(state.tensors, "neighbours/" + std::string(name), &Tensor::name);
    ASSERT_NE(tensor, state.tensors.end()) << name;
    tensor->values[0] = std::numeric_limits<float>::quiet_NaN();
    int code = 0;
    refusal([&] { method_info("blend").load(std::move(state)); }, &code);
    EXPECT_EQ(code, 4) << name;
  }
}

TEST(BlendOfFewLabels, refuses_rows_with_other_columns_or_numbers) {
  TrainingData rows = with_few_labels(groups(100, 0.3, 12), 50);
  rows.unlabelled = std::make_shared<const Features>(Matrix(5, 3));
  EXPECT_THAT(refusal([&] { quick_blend(rows); }),
              HasSubstr("rows without labels have 3 features, those with labels 12"));
  Matrix bad(5, 12);
  bad(2, 3) = std::numeric_limits<float>::infinity();
  rows.unlabelled = std::make_shared<const Features>(std::move(bad));
  EXPECT_THAT(refusal([&] { quick_blend(rows); }),
              HasSubstr("feature 4 of row without labels 3 is not a finite number"));
}

TEST(BlendOfFewLabels, is_what_it_is_without_them_where_there_are_none) {
  const Dataset data = groups(100, 0.3, 13);
  const TrainRequest plain{.method = "blend",
                           .settings = {{"trees", "20"}, {"width", "8"}, {"epochs", "2"}}};
  TrainRequest with_none = plain;
  with_none.unlabelled = std::make_shared<const Features>(Matrix(0, 12));
  EXPECT_EQ(encode_state(train(data, plain).model->state(), StateKind::Model),
            encode_state(train(data, with_none).model->state(), StateKind::Model));
  TrainRequest other{.method = "mlp", .settings = {{"epochs", "1"}}};
  other.unlabelled = std::make_shared<const Features>(Matrix(5, 12));
  EXPECT_THAT(refusal([&] { train(data, other); }),
              HasSubstr("the method 'mlp' cannot learn from rows without labels"));
}

// Parts say what the candidates are with these errors; the last one is another part.
std::vector<float> weights_with_last(const std::vector<double>& errors, std::size_t rivals,
                                     bool only_far_ahead) {
  constexpr std::size_t kRows = 2000;
  Random random(3, Purpose::Test);
  LabelMatrix candidates(kRows, 2);
  std::vector<Matrix> said;
  for (std::size_t m = 0; m < errors.size(); ++m) said.emplace_back(kRows, 2);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      const float chance = random.chance(0.4) ? 0.9F : 0.1F;
      candidates.set(i, k, random.chance(double{chance}));
      for (std::size_t m = 0; m < errors.size(); ++m)
        said[m](i, k) = random.chance(errors[m]) ? 1 - chance : chance;
    }
  const std::vector<float> none(2);
  std::vector<Judgement> parts;
  for (const Matrix& one : said) parts.push_back({&one, none});
  ThreadPool pool(1);
  return learn_weights_with_last(parts, rivals, only_far_ahead, candidates, pool);
}

TEST(BlendWeights, of_the_last_part_go_by_how_much_it_adds) {
  EXPECT_EQ(weights_with_last({0.1, 0.4}, 1, false)[1], 0);  // far behind
  EXPECT_GT(weights_with_last({0.1, 0.1}, 1, false)[1], 0.2F);
  EXPECT_EQ(weights_with_last({0.1, 0.15}, 1, true)[1], 0);  // no better than the others
  EXPECT_GT(weights_with_last({0.2, 0.05}, 1, true)[1], 0.5F);
}

TEST(BlendWeights, of_the_last_part_are_decided_beside_its_rivals_alone) {
  EXPECT_EQ(weights_with_last({0.2, 0.05, 0.1}, 2, true)[2], 0);
  EXPECT_GT(weights_with_last({0.2, 0.05, 0.1}, 1, true)[2], 0.1F);
}

}  // namespace
}  // namespace sieve::test
