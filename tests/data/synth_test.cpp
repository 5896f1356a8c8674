#include "labelsieve/prepare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "linalg/ridge.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;

Dataset made(SynthOptions options = {}, std::size_t threads = 2) {
  ThreadPool pool(threads);
  return make_synthetic(options, pool);
}

double average(std::size_t cells, const Dataset& data) {
  return static_cast<double>(cells) / static_cast<double>(data.rows());
}

// How well scores tell positives from negatives: the share of pairs in the right order; 0.5 is
// chance.
double auc(std::vector<std::pair<double, bool>> scored) {
  std::ranges::sort(scored);
  double pairs = 0, off = 0, on = 0;
  for (const auto& [score, positive] : scored) {
    if (positive)
      pairs += off, on += 1;
    else
      off += 1;
  }
  return pairs / (off * on);
}

TEST(SynthVotes, have_the_candidates_as_their_union_and_leave_the_rest_alone) {
  const Dataset plain = made({.rows = 300}), voted = made({.rows = 300, .votes = true});
  ASSERT_NE(voted.votes, nullptr);
  EXPECT_EQ(voted.votes->any_tick(12), voted.candidates);
  EXPECT_EQ(voted.votes->annotations(), 900U);
  EXPECT_EQ(plain.candidates, voted.candidates);
  EXPECT_EQ(plain.truth, voted.truth);
}

TEST(SynthVotes, miss_as_many_true_labels_as_asked_for) {
  const Dataset data = made({.rows = 2000, .votes = true, .missing = 0.2});
  EXPECT_EQ(data.votes->any_tick(12), data.candidates);
  EXPECT_NEAR(static_cast<double>(count_outside(*data.truth, data.candidates)) /
                  static_cast<double>(data.truth->count()),
              0.2, 0.03);
}

TEST(Synth, has_the_shape_and_averages_that_were_asked_for) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SynthOptions options;
    options.seed = seed;
    const Dataset data = made(options);
    EXPECT_EQ(data.rows(), 2000U);
    EXPECT_EQ(data.features.rows(), 2000U);
    EXPECT_EQ(data.features.cols(), 60U);
    EXPECT_EQ(data.labels(), 12U);
    EXPECT_EQ(count_outside(*data.truth, data.candidates), 0U);
    EXPECT_NEAR(average(data.truth->count(), data), 2.5, 0.05);
    EXPECT_NEAR(average(count_outside(data.candidates, *data.truth), data), 2.5, 0.05);
  }
}

TEST(Synth, every_row_has_a_true_label_and_every_number_is_finite) {
  SynthOptions options;
  options.cardinality = 1.2;
  const Dataset data = made(options);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    EXPECT_GT(data.truth->count(i), 0U);
    for (const float value : data.features.dense().row(i)) EXPECT_TRUE(std::isfinite(value));
  }
  EXPECT_NEAR(average(data.truth->count(), data), 1.2, 0.05);
}

TEST(Synth, averages_hold_beyond_the_rows_used_for_calibration) {
  SynthOptions options;
  options.rows = 40000;
  options.features = 3;
  options.labels = 40;
  options.cardinality = 4;
  options.noise = 3;
  const Dataset data = made(options);
  EXPECT_NEAR(average(data.truth->count(), data), 4, 0.1);
  EXPECT_NEAR(average(count_outside(data.candidates, *data.truth), data), 3, 0.1);
}

TEST(Synth, is_the_same_in_blocks_and_at_once) {
  SynthOptions options;
  options.rows = 300;
  options.features = 16384;  // more than one block of cells
  ThreadPool pool(1);
  Dataset all;
  std::size_t blocks = 0;
  make_synthetic(options, pool, [&](Dataset&& block) {
    all = blocks++ == 0 ? std::move(block) : stack_rows(std::move(all), block);
  });
  EXPECT_EQ(blocks, 2U);
  EXPECT_TRUE(same_content(all, made(options)));
}

TEST(Synth, labels_differ_widely_in_frequency_and_go_together) {
  SynthOptions options;
  options.labels = 24;
  const Dataset data = made(options);
  const std::vector<std::size_t> counts = data.truth->label_counts();
  const auto [rarest, commonest] = std::ranges::minmax(counts);
  EXPECT_GT(rarest, 0U);
  EXPECT_GT(commonest, 4 * rarest);
  // The most lifted pair: seen together far more often than if the two were independent.
  double most = 0;
  for (std::size_t a = 0; a < 24; ++a)
    for (std::size_t b = a + 1; b < 24; ++b) {
      double together = 0;
      for (std::size_t i = 0; i < data.rows(); ++i)
        together += data.truth->get(i, a) && data.truth->get(i, b);
      const double expected =
          static_cast<double>(counts[a]) * static_cast<double>(counts[b]) / 2000;
      if (expected > 10) most = std::max(most, together / expected);
    }
  EXPECT_GT(most, 2);
}

// Fits a ridge regression to `target` on half of the rows; mean AUC over the labels on the others,
// counting all cells or only those that are not true.
double held_out_auc(const Dataset& data, const LabelMatrix& target, bool irrelevant_only) {
  ThreadPool pool(2);
  Features x = data.features;
  fit_scaler(x, Scaling::MinMax).apply(x);
  const Split split = split_random(data.rows(), 0.5, 1);
  const MatrixD weights =
      fit_ridge(x.select_rows(split.train), target.select_rows(split.train), 1, pool);
  std::vector<std::vector<std::pair<double, bool>>> cells(data.labels());
  std::vector<double> scores(data.labels());
  for (const std::size_t i : split.test) {
    ridge_scores(weights, x, i, scores);
    for (std::size_t k = 0; k < data.labels(); ++k)
      if (!irrelevant_only || !data.truth->get(i, k))
        cells[k].emplace_back(scores[k], target.get(i, k));
  }
  double sum = 0;
  for (auto& label : cells) sum += auc(std::move(label));
  return sum / static_cast<double>(data.labels());
}

TEST(Synth, the_truth_can_be_learnt_from_the_features) {
  const Dataset data = made();
  EXPECT_GT(held_out_auc(data, *data.truth, false), 0.85);
}

TEST(Synth, noise_is_plausible_not_uniform) {
  const Dataset data = made();
  LabelMatrix noise(data.rows(), data.labels());
  for (std::size_t i = 0; i < data.rows(); ++i)
    data.candidates.for_each(i, [&](std::size_t k) { noise.set(i, k, !data.truth->get(i, k)); });
  // Among the cells that are not true, the features tell where the noise is.
  EXPECT_GT(held_out_auc(data, noise, true), 0.6);
  Dataset uniform = data.clone();
  noise_extra(uniform, 2, 1, 1);
  EXPECT_LT(held_out_auc(uniform, uniform.candidates, true), 0.55);
}

TEST(Synth, same_bits_for_any_number_of_threads) {
  SynthOptions options;
  options.rows = 3000;
  const Dataset expected = made(options, 1);
  for (const std::size_t threads : {2U, 3U, 8U})
    EXPECT_TRUE(same_content(made(options, threads), expected));
  options.seed = 2;
  EXPECT_FALSE(same_content(made(options), expected));
}

TEST(Synth, names_are_distinct_words) {
  SynthOptions options;
  options.rows = 5;
  options.labels = 70;
  options.cardinality = 3;
  const Dataset data = made(options);
  EXPECT_EQ(data.label_names[0], "beach");
  EXPECT_EQ(data.label_names[69], "tag 70");
  EXPECT_EQ(std::set(data.label_names.begin(), data.label_names.end()).size(), 70U);
  EXPECT_EQ(data.feature_names.front(), "f1");
  EXPECT_EQ(data.feature_names.size(), 60U);
}

TEST(Synth, takes_the_smallest_and_the_fullest_set) {
  const Dataset one = made({.rows = 1,
                            .features = 1,
                            .labels = 1,
                            .annotators = 1,
                            .annotators_per_row = 1,
                            .cardinality = 1,
                            .noise = 0});
  EXPECT_EQ(one.truth->count(), 1U);
  const Dataset full = made({.rows = 50, .labels = 4, .cardinality = 4, .noise = 0});
  EXPECT_EQ(full.truth->count(), 200U);
  const Dataset clean = made({.rows = 20000, .features = 2, .cardinality = 1, .noise = 0});
  EXPECT_EQ(clean.candidates, *clean.truth);
  EXPECT_EQ(clean.truth->count(), 20000U);
}

TEST(Synth, refuses_options_that_make_no_sense_by_name) {
  const auto message = [](auto change) {
    SynthOptions options;
    change(options);
    int code = 0;
    const std::string text = refusal([&] { made(options); }, &code);
    EXPECT_EQ(code, 2);
    return text;
  };
  const auto names = [](const std::string& text, const char* option) {
    return text.find(option) != std::string::npos;
  };
  EXPECT_TRUE(names(message([](auto& o) { o.rows = 0; }), "rows"));
  EXPECT_TRUE(names(message([](auto& o) { o.features = 0; }), "features"));
  EXPECT_TRUE(names(message([](auto& o) { o.labels = 0; }), "labels"));
  EXPECT_TRUE(names(message([](auto& o) { o.annotators = 0; }), "annotators"));
  EXPECT_TRUE(names(message([](auto& o) { o.annotators_per_row = 10; }), "annotators per row"));
  EXPECT_TRUE(names(message([](auto& o) { o.cardinality = 13; }), "between 1 and 12"));
  EXPECT_TRUE(names(message([](auto& o) { o.cardinality = std::nan(""); }), "cardinality"));
  EXPECT_TRUE(names(message([](auto& o) { o.noise = 9.6; }), "between 0 and 9.5"));
  EXPECT_TRUE(names(message([](auto& o) { o.noise = -1; }), "noise"));
}

SynthOptions sparse_options() {
  SynthOptions options;
  options.features = 5000;
  options.entries = 40;
  return options;
}

TEST(Synth, sparse_rows_have_the_entries_that_were_asked_for) {
  const Dataset data = made(sparse_options());
  ASSERT_TRUE(data.features.is_sparse());
  const CsrMatrix& x = data.features.sparse();
  EXPECT_EQ(x.rows(), 2000U);
  EXPECT_EQ(x.cols, 5000U);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    ASSERT_EQ(x.row(i).columns.size(), 40U);
    ASSERT_EQ(std::ranges::adjacent_find(x.row(i).columns, std::greater_equal<>()),
              x.row(i).columns.end());
    for (const float value : x.row(i).values) ASSERT_GE(value, 1);
  }
}

TEST(Synth, sparse_features_tell_the_labels) {
  const Dataset data = made(sparse_options());
  // Each label's words are counted on half of the rows and looked for in the others.
  double sum = 0;
  for (std::size_t k = 0; k < data.labels(); ++k) {
    std::vector<double> lift(5000);
    std::size_t on = 0;
    for (std::size_t i = 0; i < data.rows(); ++i) on += data.truth->get(i, k);
    const double share = average(on, data);
    const CsrMatrix& x = data.features.sparse();
    for (std::size_t i = 0; i < 1000; ++i)
      for (const std::uint32_t word : x.row(i).columns)
        lift[word] += (data.truth->get(i, k) ? 1 : 0) - share;
    std::vector<std::pair<double, bool>> scored;
    for (std::size_t i = 1000; i < 2000; ++i) {
      double score = 0;
      for (const std::uint32_t word : x.row(i).columns) score += lift[word];
      scored.emplace_back(score, data.truth->get(i, k));
    }
    sum += auc(scored);
  }
  EXPECT_GT(sum / static_cast<double>(data.labels()), 0.7);
}

TEST(Synth, sparse_sets_are_the_same_for_any_number_of_threads) {
  const Dataset one = made(sparse_options(), 1), three = made(sparse_options(), 3);
  EXPECT_TRUE(same_values(one.features, three.features));
  EXPECT_TRUE(*one.truth == *three.truth);
}

TEST(Synth, refuses_rows_with_more_entries_than_half_of_the_features) {
  SynthOptions options = sparse_options();
  options.entries = 2501;
  EXPECT_NE(refusal([&] { made(options); }).find("entries is 2501"), std::string::npos);
}

}  // namespace
}  // namespace sieve
