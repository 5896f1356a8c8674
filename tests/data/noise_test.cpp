#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve {
namespace {

using test::refusal;

// Labels 0-2 are true at random, the others never; the one feature is constant.
Dataset clean_set(std::size_t rows, std::size_t labels = 10) {
  Dataset data;
  LabelMatrix truth(rows, labels);
  for (std::size_t i = 0; i < rows; ++i) {
    Random random(1, Purpose::Test, 0, i);
    for (std::size_t k = 0; k < 3; ++k)
      if (random.chance(0.5)) truth.set(i, k);
  }
  data.features = Matrix(rows, 1);
  data.candidates = truth.clone();
  data.truth = std::move(truth);
  for (std::size_t k = 0; k < labels; ++k) data.label_names.push_back("l" + std::to_string(k));
  return data;
}

std::vector<std::size_t> noise_counts(const Dataset& data) {
  std::vector<std::size_t> counts = data.candidates.label_counts();
  const std::vector<std::size_t> truth = data.truth->label_counts();
  for (std::size_t k = 0; k < counts.size(); ++k) counts[k] -= truth[k];
  return counts;
}

TEST(NoiseFill, fills_rows_up_to_the_average_and_leaves_the_rest_clean) {
  Dataset data = clean_set(2000);
  noise_fill(data, 2, 7);
  EXPECT_EQ(count_outside(*data.truth, data.candidates), 0U);
  for (std::size_t i = 0; i < data.rows(); ++i)
    EXPECT_EQ(data.candidates.count(i), std::max<std::size_t>(2, data.truth->count(i)));
}

TEST(NoiseFill, chooses_uniformly_among_the_irrelevant_labels) {
  Dataset data = clean_set(30000);
  noise_fill(data, 5, 7);
  // On average 1.5 labels are true, so 3.5 of 8.5 irrelevant ones come on: each of the seven labels
  // that are never true in about 41 % of the rows, and all alike.
  const std::vector<std::size_t> counts = noise_counts(data);
  double mean = 0;
  for (std::size_t k = 3; k < 10; ++k) mean += static_cast<double>(counts[k]) / 7;
  for (std::size_t k = 3; k < 10; ++k) EXPECT_NEAR(static_cast<double>(counts[k]), mean, 350);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(static_cast<double>(counts[k]), mean / 2, 700);
}

TEST(NoiseFill, switches_all_labels_on_where_too_few_are_left) {
  Dataset data = clean_set(50);
  noise_fill(data, 99, 1);
  EXPECT_EQ(data.candidates.count(), 500U);
}

TEST(NoiseExtra, adds_exactly_so_many_to_about_that_share_of_the_rows) {
  Dataset data = clean_set(20000);
  noise_extra(data, 3, 0.4, 11);
  EXPECT_EQ(count_outside(*data.truth, data.candidates), 0U);
  int noisy = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::size_t added = data.candidates.count(i) - data.truth->count(i);
    EXPECT_TRUE(added == 0 || added == 3);
    noisy += added == 3;
  }
  EXPECT_NEAR(noisy, 8000, 300);
}

TEST(NoiseExtra, all_rows_or_none_at_the_ends) {
  Dataset data = clean_set(100);
  noise_extra(data, 2, 0, 1);
  EXPECT_EQ(data.candidates, *data.truth);
  noise_extra(data, 2, 1, 1);
  EXPECT_EQ(data.candidates.count(), data.truth->count() + 200);
}

TEST(NoiseFlip, flips_each_label_at_its_rate) {
  Dataset data = clean_set(20000);
  std::array<double, 10> rates{};
  rates[0] = 0.5, rates[4] = 0.1, rates[9] = 1;
  noise_flip(data, rates, 3);
  EXPECT_EQ(count_outside(*data.truth, data.candidates), 0U);
  const std::vector<std::size_t> counts = noise_counts(data);
  EXPECT_NEAR(static_cast<double>(counts[0]), 5000, 300);
  EXPECT_NEAR(static_cast<double>(counts[4]), 2000, 200);
  EXPECT_EQ(counts[5], 0U);
  EXPECT_EQ(counts[9], 20000U);
}

TEST(NoiseFlip, one_rate_stands_for_all_labels) {
  Dataset one = clean_set(300), many = clean_set(300);
  noise_flip(one, std::array{0.3}, 3);
  noise_flip(many, std::vector<double>(10, 0.3), 3);
  EXPECT_EQ(one.candidates, many.candidates);
}

TEST(NoiseFlip, rates_are_drawn_inside_their_range) {
  const std::vector<double> rates = draw_flip_rates(5000, 0.5, 0.9, 1);
  double sum = 0;
  for (const double rate : rates) {
    EXPECT_TRUE(rate >= 0.5 && rate <= 0.9);
    sum += rate / 5000;
  }
  EXPECT_NEAR(sum, 0.7, 0.01);
  EXPECT_EQ(rates, draw_flip_rates(5000, 0.5, 0.9, 1));
  EXPECT_NE(rates, draw_flip_rates(5000, 0.5, 0.9, 2));
}

TEST(Noise, of_a_row_depends_on_the_seed_and_the_row_alone) {
  Dataset whole = clean_set(200), again = clean_set(200), start = clean_set(50);
  for (Dataset* data : {&whole, &again, &start}) noise_fill(*data, 4, 5);
  EXPECT_EQ(whole.candidates, again.candidates);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_TRUE(std::ranges::equal(whole.candidates.words(i), start.candidates.words(i)));
  noise_fill(again, 4, 6);
  EXPECT_FALSE(whole.candidates == again.candidates);
  noise_extra(again, 1, 0.5, 5);
  noise_fill(again, 4, 5);  // starts from the truth, whatever came before
  EXPECT_EQ(whole.candidates, again.candidates);
}

// Features that point to label 0, 1 or 2, and for each of these a twin 3, 4, 5 that is true where
// its original is half of the time.
Dataset twins(std::size_t rows, bool sparse, std::size_t extra_features) {
  Dataset data = clean_set(rows, 6);
  Matrix x(rows, 3 + extra_features);
  LabelMatrix truth(rows, 6);
  for (std::size_t i = 0; i < rows; ++i) {
    Random random(2, Purpose::Test, 0, i);
    const std::size_t kind = i % 3;
    x(i, kind) = 1;
    truth.set(i, kind);
    truth.set(i, kind + 3, random.chance(0.5));
  }
  data.features = std::move(x);
  if (sparse) data.features = data.features.to_sparse();
  data.candidates = truth.clone();
  data.truth = std::move(truth);
  return data;
}

TEST(NoisePlausible, adds_the_label_that_looks_right) {
  ThreadPool pool(2);
  for (const std::size_t extra : {0U, 1500U})  // the second is too wide for a Gram matrix
    for (const bool sparse : {false, true}) {
      Dataset data = twins(300, sparse, extra);
      noise_plausible(data, 50, 1, pool);
      EXPECT_EQ(count_outside(*data.truth, data.candidates), 0U);
      for (std::size_t i = 0; i < data.rows(); ++i) {
        EXPECT_EQ(data.candidates.count(i), data.truth->count(i) + 1);
        EXPECT_TRUE(data.candidates.get(i, i % 3 + 3));
      }
    }
}

TEST(NoisePlausible, adds_a_percentage_but_at_least_one_where_anything_is_true) {
  ThreadPool pool(1);
  Dataset data = clean_set(500);
  noise_plausible(data, 150, 1, pool);
  constexpr std::array<std::size_t, 4> after = {0, 3, 5, 8};  // 1.5 and 4.5 round away from zero
  for (std::size_t i = 0; i < data.rows(); ++i)
    EXPECT_EQ(data.candidates.count(i), after[data.truth->count(i)]);
  noise_plausible(data, 1, 1, pool);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::size_t relevant = data.truth->count(i);
    EXPECT_EQ(data.candidates.count(i), relevant == 0 ? 0 : relevant + 1);
  }
}

TEST(NoisePlausible, is_the_same_for_any_number_of_threads) {
  ThreadPool one(1);
  Dataset expected = twins(400, true, 2000);
  noise_plausible(expected, 120, 9, one);
  for (const std::size_t threads : {2U, 3U, 8U}) {
    ThreadPool pool(threads);
    Dataset data = twins(400, true, 2000);
    noise_plausible(data, 120, 9, pool);
    EXPECT_EQ(data.candidates, expected.candidates);
  }
}

TEST(Noise, takes_a_single_row_and_label) {
  ThreadPool pool(1);
  Dataset data = clean_set(1, 3);
  data.truth = LabelMatrix(1, 1);
  data.candidates = LabelMatrix(1, 1);
  data.truth->set(0, 0);
  noise_fill(data, 5, 1);
  EXPECT_EQ(data.candidates.count(), 1U);
  noise_plausible(data, 100, 1, pool);
  EXPECT_EQ(data.candidates.count(), 1U);
}

TEST(Noise, refuses_a_set_without_truth) {
  ThreadPool pool(1);
  Dataset data = clean_set(5);
  data.truth.reset();
  int code = 0;
  EXPECT_NE(refusal([&] { noise_fill(data, 3, 1); }, &code).find("true labels"), std::string::npos);
  EXPECT_EQ(code, 3);
  EXPECT_NE(refusal([&] { noise_extra(data, 3, 0.5, 1); }), "");
  EXPECT_NE(refusal([&] { noise_plausible(data, 50, 1, pool); }), "");
  EXPECT_NE(refusal([&] { noise_flip(data, std::array{0.5}, 1); }), "");
}

TEST(Noise, refuses_rates_that_make_no_sense) {
  ThreadPool pool(1);
  Dataset data = clean_set(5);
  int code = 0;
  for (const double bad : {-0.1, 1.1, std::nan("")}) {
    EXPECT_NE(refusal([&] { noise_extra(data, 1, bad, 1); }, &code), "");
    EXPECT_EQ(code, 2);
    EXPECT_NE(refusal([&] { noise_flip(data, std::array{bad}, 1); }), "");
    EXPECT_NE(refusal([&] { draw_flip_rates(3, bad, 0.5, 1); }), "");
  }
  EXPECT_NE(refusal([&] { draw_flip_rates(3, 0.9, 0.5, 1); }), "");
  EXPECT_NE(refusal([&] {
              noise_flip(data, std::array{0.1, 0.2}, 1);
            }).find("2 flip rates for 10"),
            std::string::npos);
  for (const double bad : {0.0, -5.0, std::nan(""), HUGE_VAL})
    EXPECT_NE(refusal([&] { noise_plausible(data, bad, 1, pool); }), "");
}

// How often people ticked a label where it was true, and where it was not.
std::pair<double, double> rates_of_ticks(const Dataset& data) {
  double right = 0, ticked_right = 0, wrong = 0, ticked_wrong = 0;
  for (std::size_t i = 0; i < data.rows(); ++i)
    for (std::size_t annotation = data.votes->first_annotation(i);
         annotation < data.votes->first_annotation(i + 1); ++annotation)
      for (std::size_t k = 0, next = 0; k < data.labels(); ++k) {
        const auto ticked = data.votes->ticked(annotation);
        const bool tick = next < ticked.size() && ticked[next] == k;
        next += tick;
        (data.truth->get(i, k) ? right : wrong) += 1;
        (data.truth->get(i, k) ? ticked_right : ticked_wrong) += tick;
      }
  return {ticked_right / right, ticked_wrong / wrong};
}

TEST(NoiseCrowd, annotators_who_are_alike_tick_as_often_as_asked) {
  Dataset data = clean_set(4000);
  noise_crowd(data, {.annotations = 3, .annotators = 20, .skills = 0, .hidden = 0}, 4);
  EXPECT_EQ(data.votes->annotators().size(), 20U);
  for (std::size_t i = 0; i < data.rows(); ++i) EXPECT_EQ(data.votes->annotations(i), 3U);
  EXPECT_EQ(data.candidates, data.votes->any_tick(10));
  const auto [sensitivity, false_positive_rate] = rates_of_ticks(data);
  EXPECT_NEAR(sensitivity, 0.75, 0.01);
  EXPECT_NEAR(false_positive_rate, 0.02, 0.002);
}

TEST(NoiseCrowd, hidden_labels_are_ticked_as_seldom_as_wrong_ones) {
  Dataset data = clean_set(4000);
  noise_crowd(data, {.skills = 0, .hidden = 0.4}, 4);
  EXPECT_NEAR(rates_of_ticks(data).first, 0.6 * 0.75 + 0.4 * 0.02, 0.015);
}

TEST(NoiseCrowd, confusion_moves_right_ticks_to_other_labels) {
  Dataset plain = clean_set(4000), confused = clean_set(4000);
  noise_crowd(plain, {.skills = 0, .hidden = 0}, 4);
  noise_crowd(confused, {.skills = 0, .hidden = 0, .confusion = 0.3}, 4);
  EXPECT_LT(rates_of_ticks(confused).first, rates_of_ticks(plain).first - 0.15);
  EXPECT_GT(rates_of_ticks(confused).second, rates_of_ticks(plain).second + 0.02);
}

TEST(NoiseCrowd, annotators_differ_in_skill) {
  const auto spread = [](double skills) {
    Dataset data = clean_set(6000);
    noise_crowd(data, {.skills = skills}, 4);
    std::vector<double> ticks(12), annotations(12);
    for (std::size_t annotation = 0; annotation < data.votes->annotations(); ++annotation) {
      annotations[data.votes->annotator(annotation)] += 1;
      ticks[data.votes->annotator(annotation)] +=
          static_cast<double>(data.votes->ticked(annotation).size());
    }
    double least = 1e9, most = 0;
    for (std::size_t a = 0; a < 12; ++a) {
      least = std::min(least, ticks[a] / annotations[a]);
      most = std::max(most, ticks[a] / annotations[a]);
    }
    return most - least;
  };
  EXPECT_LT(spread(0), 0.15);
  EXPECT_GT(spread(1), 0.3);
}

TEST(NoiseCrowd, refuses_what_makes_no_sense) {
  Dataset data = clean_set(10);
  const auto refused = [&](const CrowdNoise& crowd) {
    return refusal([&] { noise_crowd(data, crowd, 1); }) != "";
  };
  EXPECT_TRUE(refused({.annotations = 0}));
  EXPECT_TRUE(refused({.annotations = 5, .annotators = 4}));
  EXPECT_TRUE(refused({.sensitivity = 1}));
  EXPECT_TRUE(refused({.false_positive_rate = 0}));
  EXPECT_TRUE(refused({.skills = std::nan("")}));
  EXPECT_TRUE(refused({.hidden = 1.5}));
  EXPECT_TRUE(refused({.confusion = -0.1}));
}

TEST(NoiseProtocols, each_adds_noise_by_the_level_of_its_first_option) {
  ThreadPool pool(1);
  for (const NoiseProtocol& protocol : noise_protocols()) {
    Options options(protocol.options);
    const OptionSpec& level = protocol.options.front();
    options.set(level.key, level.type == OptionSpec::Type::Integer ? "4"
                           : level.high <= 1                       ? "0.5"
                                                                   : "100");
    Dataset data = clean_set(200);
    protocol.make(options)(data, 3, pool);
    EXPECT_EQ(count_outside(*data.truth, data.candidates) > 0, protocol.votes) << protocol.name;
    EXPECT_EQ(data.votes != nullptr, protocol.votes) << protocol.name;
    EXPECT_FALSE(*data.truth == data.candidates) << protocol.name;
  }
}

TEST(NoiseProtocols, a_row_has_the_same_noise_in_any_part_unless_the_protocol_learns) {
  ThreadPool pool(1);
  for (const NoiseProtocol& protocol : noise_protocols()) {
    if (protocol.learns) continue;
    Options options(protocol.options);
    options.set(protocol.options.front().key, "1");
    Dataset whole = clean_set(50), start = whole.select_rows(std::array<std::size_t, 2>{0, 1});
    protocol.make(options)(whole, 5, pool);
    protocol.make(options)(start, 5, pool);
    EXPECT_EQ(whole.select_rows(std::array<std::size_t, 2>{0, 1}).candidates, start.candidates)
        << protocol.name;
  }
}

TEST(NoiseProtocols, want_their_numbers_and_such_that_fit_together) {
  for (const NoiseProtocol& protocol : noise_protocols()) {
    int code = 0;
    EXPECT_NE(refusal([&] { protocol.make(Options(protocol.options)); }, &code), "");
    EXPECT_EQ(code, 2) << protocol.name;
  }
  Options flip(noise_protocol("flip").options);
  flip.set("rate", "0.1");
  flip.set("rate-to", "0.3");
  EXPECT_NE(refusal([&] { noise_protocol("flip").make(flip); }), "");
  Options crowd(noise_protocol("crowd").options);
  crowd.set("looks", "13");
  EXPECT_NE(refusal([&] { noise_protocol("crowd").make(crowd); }).find("'annotators'"),
            std::string::npos);
}

}  // namespace
}  // namespace sieve
