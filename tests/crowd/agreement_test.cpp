#include "labelsieve/crowd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/random.h"
#include "crowd/label_sets.h"
#include "crowd/simulated_crowd.h"
#include "labelsieve/error.h"
#include "support/python_check.h"
#include "support/support.h"

namespace sieve {
namespace {

using ::testing::HasSubstr;
using Labels = std::vector<std::uint32_t>;

// One annotation: row, annotator, labels.
struct Said {
  std::uint32_t row, annotator;
  Labels labels;
};

Votes votes_of(const std::vector<Said>& all, std::size_t rows, std::size_t annotators) {
  VoteCollector said;
  for (const Said& one : all) {
    said.annotate(one.row, one.annotator);
    for (const std::uint32_t label : one.labels) said.tick(one.row, one.annotator, label);
  }
  return said.finish(rows, names(annotators));
}

Agreement measured(const Votes& votes, std::size_t labels, std::size_t resamples = 200) {
  ThreadPool pool(2);
  return measure_agreement(votes, labels, pool, {.resamples = resamples});
}

// Every figure of an agreement by name, those that are missing left out.
std::map<std::string, AgreementFigure> figures_of(const Agreement& found) {
  std::map<std::string, AgreementFigure> all = {{"masi/alpha", found.masi_alpha},
                                                {"masi/similarity", found.masi_similarity}};
  const auto add = [&](const std::string& name, const AgreementFigures& figures) {
    all[name + "/alpha"] = figures.alpha, all[name + "/kappa"] = figures.kappa;
    all[name + "/ac1"] = figures.ac1, all[name + "/pairwise"] = figures.pairwise;
  };
  add("sets", found.sets);
  add("mean", found.labels_mean);
  for (std::size_t k = 0; k < found.labels.size(); ++k)
    add("label" + std::to_string(k), found.labels[k]);
  return all;
}

// Nothing is NaN, ends enclose the value, and whatever is missing has a reason.
void expect_sound(const Agreement& found, const std::string& what) {
  for (const auto& [name, figure] : figures_of(found)) {
    EXPECT_EQ(figure.low.has_value(), figure.high.has_value()) << what << name;
    if (!found.why.empty()) {
      EXPECT_FALSE(figure.value) << what << name;
      continue;
    }
    if (!figure.value || !figure.low) {
      EXPECT_NE(figure.why, "") << what << name;
    }
    if (figure.value) {
      EXPECT_TRUE(std::isfinite(*figure.value)) << what << name;
      EXPECT_LE(*figure.value, 1) << what << name;
    }
    if (figure.low) {
      EXPECT_LE(*figure.low, *figure.value) << what << name;
      EXPECT_GE(*figure.high, *figure.value) << what << name;
      EXPECT_LT(*figure.low, *figure.high) << what << name;
    }
  }
}

// ---- by hand ---------------------------------------------------------------------------------

// The example of Krippendorff (2011) and Gwet (2014): four annotators, five classes, gaps.
std::vector<Said> published() {
  const std::vector<std::vector<int>> rows = {
      {1, 1, 0, 1}, {2, 2, 3, 2}, {3, 3, 3, 3}, {3, 3, 3, 3}, {2, 2, 2, 2}, {1, 2, 3, 4},
      {4, 4, 4, 4}, {1, 1, 2, 1}, {2, 2, 2, 2}, {0, 5, 5, 5}, {0, 0, 1, 1}, {0, 0, 3, 0}};
  std::vector<Said> said;
  for (std::uint32_t row = 0; row < rows.size(); ++row)
    for (std::uint32_t a = 0; a < 4; ++a)
      if (const int value = rows[row][a]; value > 0)
        said.push_back({row, a, {static_cast<std::uint32_t>(value - 1)}});
  return said;
}

TEST(Agreement, has_the_published_figures_of_a_published_table) {
  const Agreement found = measured(votes_of(published(), 12, 4), 5);
  EXPECT_NEAR(*found.sets.alpha.value, 0.743, 0.0005);
  EXPECT_NEAR(*found.sets.kappa.value, 0.76117, 0.000005);
  EXPECT_NEAR(*found.sets.ac1.value, 0.77544, 0.000005);
  EXPECT_NEAR(*found.sets.pairwise.value, 0.81818, 0.000005);
  EXPECT_EQ(found.rows, 12U);
  EXPECT_EQ(found.shared_rows, 11U);
  EXPECT_EQ(found.annotations, 41U);
  EXPECT_EQ(found.annotators, 4U);
  EXPECT_EQ(found.label_sets, 5U);
  expect_sound(found, "published ");
  // Sets of one label are equal or have nothing in common.
  EXPECT_NEAR(*found.masi_alpha.value, *found.sets.alpha.value, 1e-12);
}

TEST(Agreement, of_a_table_small_enough_for_pencil_and_paper) {
  // Label 0: yes yes, yes no, no no, no no no (rows 0 to 3).
  const Agreement found = measured(votes_of({{0, 0, {0}},
                                             {0, 1, {0}},
                                             {1, 0, {0}},
                                             {1, 1, {}},
                                             {2, 0, {}},
                                             {2, 1, {}},
                                             {3, 0, {}},
                                             {3, 1, {}},
                                             {3, 2, {}}},
                                            4, 3),
                                   1, 0);
  const AgreementFigures& label = found.labels[0];
  // Observed distance: 2 of 9. Expected: 2 * 3 * 6 / (9 * 8) = 1/2.
  EXPECT_DOUBLE_EQ(*label.alpha.value, 1 - (2.0 / 9) / 0.5);
  // Three of four rows agree. Mean share of yes: (1 + 1/2) / 4 = 3/8; chance 34/64.
  EXPECT_DOUBLE_EQ(*label.pairwise.value, 0.75);
  EXPECT_DOUBLE_EQ(*label.kappa.value, 1 - 0.25 / (30.0 / 64));
  EXPECT_DOUBLE_EQ(*label.ac1.value, 1 - 0.25 / (34.0 / 64));
  EXPECT_FALSE(label.alpha.low);
  EXPECT_EQ(found.labels_ticked[0], 2U);
}

TEST(Agreement, masi_distance_weighs_what_sets_share) {
  const auto distance = [](const Labels& a, const Labels& b) { return masi_distance(a, b); };
  EXPECT_EQ(distance({}, {}), 0);
  EXPECT_EQ(distance({1, 4}, {1, 4}), 0);
  EXPECT_EQ(distance({}, {1}), 1);
  EXPECT_EQ(distance({1}, {2, 3}), 1);
  EXPECT_DOUBLE_EQ(distance({1}, {1, 2}), 1 - 0.5 * 2 / 3);
  EXPECT_DOUBLE_EQ(distance({1, 2, 3}, {2}), 1 - 1.0 / 3 * 2 / 3);
  EXPECT_DOUBLE_EQ(distance({1, 2}, {2, 3}), 1 - 1.0 / 3 / 3);
}

// ---- against the definitions -----------------------------------------------------------------

std::vector<Said> drawn(std::uint64_t seed, std::size_t rows, std::size_t annotators,
                        std::size_t labels, double density) {
  Random random(seed, Purpose::Test);
  std::vector<Said> said;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::vector<bool> likely(labels);
    for (std::size_t k = 0; k < labels; ++k) likely[k] = random.chance(density);
    for (std::uint32_t a = 0; a < annotators; ++a) {
      if (random.chance(0.4)) continue;
      Labels ticked;
      for (std::uint32_t k = 0; k < labels; ++k)
        if (random.chance(likely[k] ? 0.8 : 0.1)) ticked.push_back(k);
      said.push_back({row, a, ticked});
    }
  }
  return said;
}

std::string written(const std::vector<Said>& all, std::size_t labels) {
  std::string text = std::to_string(labels) + "\n";
  for (const Said& one : all)
    text += fmt::format("r{} a{} {}\n", one.row, one.annotator,
                        one.labels.empty() ? "-" : fmt::format("{}", fmt::join(one.labels, "+")));
  return text;
}

TEST(Agreement, is_what_the_definitions_say) {
  struct Case {
    std::string name;
    std::vector<Said> said;
    std::size_t rows, annotators, labels;
  };
  std::vector<Case> cases = {{"published", published(), 12, 4, 5},
                             {"two-of-each", drawn(7, 9, 2, 2, 0.5), 9, 2, 2},
                             {"alone", {{0, 0, {0}}, {0, 1, {0, 1}}, {1, 0, {1}}}, 2, 2, 3}};
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U})
    cases.push_back({fmt::format("drawn-{}", seed), drawn(seed, 25, 6, 4, 0.3), 25, 6, 4});
  const test::TempFolder folder;
  for (const Case& one : cases)
    test::write_file(folder / (one.name + ".votes"), written(one.said, one.labels));
  const auto expected = test::run_python("crowd/agreement_reference.py", folder.path());
  std::size_t compared = 0;
  for (const Case& one : cases) {
    const Agreement found = measured(votes_of(one.said, one.rows, one.annotators), one.labels, 0);
    for (const auto& [name, figure] : figures_of(found)) {
      if (name.starts_with("mean")) continue;
      const auto other = expected.find(one.name + "/" + name);
      ASSERT_EQ(figure.value.has_value(), other != expected.end()) << one.name << " " << name;
      if (figure.value) EXPECT_NEAR(*figure.value, other->second, 1e-12) << one.name << name;
      compared += figure.value.has_value();
    }
    for (const PairAgreement& pair : found.pairs) {
      EXPECT_NEAR(pair.similarity.value,
                  expected.at(fmt::format("{}/pair/a{}/a{}", one.name, pair.first, pair.second)),
                  1e-12);
      ++compared;
    }
  }
  EXPECT_EQ(compared, expected.size());  // nothing that the definitions have is missing
}

TEST(Agreement, of_many_label_sets_is_expected_as_of_few) {
  const Votes votes = votes_of(drawn(5, 400, 5, 6, 0.4), 400, 5);
  const LabelSets sets(votes);
  ASSERT_GT(sets.size(), 40U);
  std::vector<double> counts(sets.size());
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    ++counts[sets.of(annotation)];
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  ThreadPool pool(2);
  const ExpectedDistance exact(sets, counts, 1, pool), linear(sets, counts, 1, pool, 0),
      sampled(sets, counts, 1, pool, 0, 40);
  EXPECT_NEAR(linear.of(counts, total), exact.of(counts, total), 1e-12);
  EXPECT_NEAR(sampled.of(counts, total), exact.of(counts, total), 0.05);
  // Other numbers, as in a resample.
  Random random(3, Purpose::Test);
  std::vector<double> others(counts.size());
  for (std::size_t k = 0; k < votes.annotations(); ++k)
    ++others[sets.of(random.below(votes.annotations()))];
  EXPECT_NEAR(linear.of(others, total), exact.of(others, total), 3 / total);
}

// ---- intervals -------------------------------------------------------------------------------

TEST(Agreement, has_the_same_bits_for_any_number_of_threads) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 300});
  ThreadPool one(1), three(3);
  const Agreement a = measure_agreement(crowd.votes, 6, one, {.resamples = 50});
  const Agreement b = measure_agreement(crowd.votes, 6, three, {.resamples = 50});
  const auto left = figures_of(a), right = figures_of(b);
  for (const auto& [name, figure] : left) {
    EXPECT_EQ(figure.value, right.at(name).value) << name;
    EXPECT_EQ(figure.low, right.at(name).low) << name;
    EXPECT_EQ(figure.high, right.at(name).high) << name;
  }
  const Agreement other = measure_agreement(crowd.votes, 6, one, {.seed = 2, .resamples = 50});
  EXPECT_EQ(other.masi_alpha.value, a.masi_alpha.value);
  EXPECT_NE(other.masi_alpha.low, a.masi_alpha.low);
}

TEST(Agreement, intervals_hold_the_figure_of_many_rows_nine_times_out_of_ten) {
  // The same annotators: the first rows of a crowd against all of them.
  std::size_t held = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const SimulatedCrowd crowd = simulate_crowd(
        {.rows = 6000, .annotators = 6, .labels = 2, .annotations = 3, .seed = seed});
    std::vector<std::size_t> first(200);
    std::iota(first.begin(), first.end(), std::size_t{0});
    const auto few = figures_of(measured(crowd.votes.select_rows(first), 2, 200));
    const auto many = figures_of(measured(crowd.votes, 2, 0));
    for (const auto& [name, figure] : few) {
      if (!figure.low) continue;
      const double real = *many.at(name).value;
      held += *figure.low <= real && real <= *figure.high;
      ++all;
    }
  }
  const double share = static_cast<double>(held) / static_cast<double>(all);
  EXPECT_GT(share, 0.85);
  EXPECT_LT(share, 0.95);
}

TEST(Agreement, intervals_narrow_with_more_rows) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 1600});
  std::vector<std::size_t> first(100);
  std::iota(first.begin(), first.end(), std::size_t{0});
  const Agreement few = measured(crowd.votes.select_rows(first), 6);
  const Agreement many = measured(crowd.votes, 6);
  const auto width = [](const AgreementFigure& figure) { return *figure.high - *figure.low; };
  EXPECT_LT(width(many.masi_alpha), 0.5 * width(few.masi_alpha));
  EXPECT_LT(width(many.labels_mean.kappa), 0.5 * width(few.labels_mean.kappa));
}

// ---- odd crowds ------------------------------------------------------------------------------

TEST(Agreement, of_one_annotator_cannot_be_measured) {
  const Agreement found = measured(votes_of({{0, 0, {0}}, {1, 0, {}}}, 2, 1), 1);
  EXPECT_EQ(found.why, "there is one annotator, with nobody to agree with");
  EXPECT_TRUE(found.pairs.empty());
  expect_sound(found, "one annotator ");
  EXPECT_EQ(measured(votes_of({{0, 0, {0}}, {1, 1, {}}}, 2, 2), 1).why,
            "no row has two annotations");
  EXPECT_EQ(measured(votes_of({}, 2, 2), 1).why, "nobody annotated a row");
}

TEST(Agreement, of_one_row_has_no_interval) {
  const Agreement found = measured(votes_of({{0, 0, {0}}, {0, 1, {}}, {0, 2, {}}}, 1, 3), 1);
  EXPECT_TRUE(found.labels[0].alpha.value);
  EXPECT_FALSE(found.labels[0].alpha.low);
  EXPECT_EQ(found.labels[0].alpha.why, "only one row has two annotations: too few for an interval");
  expect_sound(found, "one row ");
}

TEST(Agreement, is_one_where_everyone_agrees_on_different_answers) {
  std::vector<Said> said;
  for (std::uint32_t row = 0; row < 20; ++row)
    for (std::uint32_t a = 0; a < 3; ++a)
      said.push_back({row, a, row % 2 == 0 ? Labels{0} : Labels{}});
  const Agreement found = measured(votes_of(said, 20, 3), 1);
  for (const auto& [name, figure] : figures_of(found)) EXPECT_EQ(figure.value, 1) << name;
  // A disagreement on one row in seven or fewer may be missed by chance.
  EXPECT_NEAR(*found.labels[0].pairwise.low, std::pow(0.05, 1.0 / 20), 1e-12);
  EXPECT_LT(*found.labels[0].alpha.low, *found.labels[0].pairwise.low);
  expect_sound(found, "all agree ");
}

TEST(Agreement, is_undefined_where_everyone_always_gives_the_same_answer) {
  std::vector<Said> said;
  for (std::uint32_t row = 0; row < 20; ++row)
    for (std::uint32_t a = 0; a < 3; ++a) said.push_back({row, a, {0}});
  const Agreement found = measured(votes_of(said, 20, 3), 2);
  EXPECT_FALSE(found.masi_alpha.value);
  EXPECT_EQ(found.masi_alpha.why, "all annotations of shared rows have the same labels");
  EXPECT_FALSE(found.labels[0].alpha.value);
  EXPECT_EQ(found.labels[0].kappa.why, "everybody ticked it where rows have two annotations");
  EXPECT_EQ(found.labels[1].alpha.why, "nobody ticked it where rows have two annotations");
  EXPECT_FALSE(found.labels_mean.alpha.value);
  EXPECT_EQ(found.labels_mean.alpha.why, "no label has this figure");
  EXPECT_EQ(found.labels[1].ac1.value, 1);
  EXPECT_EQ(found.sets.pairwise.value, 1);
  expect_sound(found, "same answer ");
}

TEST(Agreement, a_label_ticked_once_has_no_narrow_interval) {
  std::vector<Said> said;
  for (std::uint32_t row = 0; row < 500; ++row)
    for (std::uint32_t a = 0; a < 3; ++a) said.push_back({row, a, {}});
  said[0].labels = {0};
  const Agreement found = measured(votes_of(said, 500, 3), 1);
  EXPECT_NEAR(*found.labels[0].alpha.value, 0, 1e-9);
  EXPECT_FALSE(found.labels[0].alpha.low);
  EXPECT_FALSE(found.masi_alpha.low);
  EXPECT_THAT(found.labels[0].alpha.why, HasSubstr("too few differ"));
  expect_sound(found, "ticked once ");
}

TEST(Agreement, an_annotator_with_one_annotation_is_in_wide_pairs) {
  std::vector<Said> said;
  for (std::uint32_t row = 0; row < 30; ++row)
    for (std::uint32_t a = 0; a < 2; ++a) said.push_back({row, a, {row % 3}});
  said.push_back({4, 2, {1}});
  said.push_back({5, 3, {0}});
  const Agreement found = measured(votes_of(said, 30, 4), 3);
  expect_sound(found, "one annotation ");
  ASSERT_EQ(found.pairs.size(), 5U);
  for (const PairAgreement& pair : found.pairs)
    EXPECT_GT(pair.similarity.high - pair.similarity.low, pair.rows == 1 ? 0.7 : 0.05);
  // The pair with thirty rows surely agrees most; one row in agreement does not make it first.
  const PairAgreement& most = found.pairs[most_agreeing(found, 1).at(0)];
  EXPECT_EQ(most.first, 0U);
  EXPECT_EQ(most.second, 1U);
  EXPECT_EQ(found.pairs[least_agreeing(found, 1).at(0)].second, 3U);
}

TEST(Agreement, of_pairs_is_bounded_to_the_busiest) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 50, .annotators = 12});
  ThreadPool pool(1);
  const Agreement found =
      measure_agreement(crowd.votes, 6, pool, {.resamples = 0, .annotators = 3});
  EXPECT_EQ(found.compared.size(), 3U);
  EXPECT_LE(found.pairs.size(), 3U);
  EXPECT_EQ(found.annotators, 12U);
}

TEST(Agreement, of_labels_that_there_are_not_is_refused) {
  EXPECT_THROW(measured(votes_of({{0, 0, {3}}, {0, 1, {}}}, 1, 2), 3), Error);
}

}  // namespace
}  // namespace sieve
