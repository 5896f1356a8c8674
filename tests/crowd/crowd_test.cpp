#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "crowd/simulated_crowd.h"
#include "labelsieve/crowd.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

Matrix probabilities_of(const CrowdView& view, ThreadPool& pool, const CrowdOptions& options = {}) {
  return crowd_probabilities(fit_crowd(view, pool, options), view, pool);
}

bool same_bits(const Matrix& a, const Matrix& b) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < a.cols(); ++j)
      if (a(i, j) != b(i, j)) return false;
  return a.rows() == b.rows() && a.cols() == b.cols();
}

// All that comes out of a fit is a number strictly inside (0, 1).
void expect_sensible(const CrowdView& view) {
  ThreadPool pool(2);
  const CrowdModel model = fit_crowd(view, pool);
  const auto inside = [](double p) { return p > 0 && p < 1; };
  const auto holds = [&](const Estimate& e) {
    return inside(e.value) && inside(e.low) && inside(e.high) && e.low <= e.value &&
           e.value <= e.high;
  };
  for (std::size_t a = 0; a < model.annotators(); ++a)
    for (std::size_t l = 0; l < model.labels(); ++l) {
      EXPECT_TRUE(holds(model.sensitivity(a, l))) << a << " " << l;
      EXPECT_TRUE(holds(model.false_positive_rate(a, l))) << a << " " << l;
    }
  const Matrix probabilities = crowd_probabilities(model, view, pool);
  for (std::size_t i = 0; i < probabilities.rows(); ++i)
    for (const float q : probabilities.row(i)) EXPECT_TRUE(inside(q)) << q;
  for (const LabelQuality& label : label_qualities(model, view, pool)) {
    EXPECT_TRUE(holds(label.sensitivity) && holds(label.false_positive_rate));
    EXPECT_TRUE(label.rows_ticked == 0 || holds(label.noise)) << label.noise.value;
  }
  for (const AnnotatorQuality& annotator : annotator_qualities(model, view, pool)) {
    EXPECT_TRUE(holds(annotator.sensitivity) && holds(annotator.false_positive_rate));
    EXPECT_TRUE(annotator.agreement >= 0 && annotator.agreement <= 1);
  }
  EXPECT_TRUE(std::isfinite(check_by_held_out_annotators(model, view, pool).log_likelihood));
}

TEST(Crowd, ranks_ticks_better_than_shares_and_dawid_skene) {
  const SimulatedCrowd crowd = simulate_crowd({});
  ThreadPool pool(2);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const auto area = [&](const Matrix& q) { return area_among(q, crowd.truth, ticked); };
  const double share = area(aggregate(crowd.votes, 6, Aggregation::Share, pool));
  const double coins = area(aggregate(crowd.votes, 6, Aggregation::TwoCoins, pool));
  const double votes = area(probabilities_of({&crowd.votes, 6, nullptr}, pool));
  const double both = area(probabilities_of({&crowd.votes, 6, &crowd.scores}, pool));
  EXPECT_GT(coins, share + 0.02);
  EXPECT_GT(votes, coins - 0.005);
  EXPECT_GT(both, votes + 0.02);
  EXPECT_GT(both, 0.97);
}

TEST(Crowd, finds_the_rates_of_annotators) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 3000});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  const CrowdModel model = fit_crowd(view, pool);
  double inside = 0, off = 0;
  for (std::size_t a = 0; a < 10; ++a)
    for (std::size_t l = 0; l < 6; ++l) {
      const Estimate s = model.sensitivity(a, l), f = model.false_positive_rate(a, l);
      inside += s.low <= crowd.sensitivity[a][l] && crowd.sensitivity[a][l] <= s.high;
      inside +=
          f.low <= crowd.false_positive_rate[a][l] && crowd.false_positive_rate[a][l] <= f.high;
      off += std::abs(s.value - crowd.sensitivity[a][l]);
      off += std::abs(f.value - crowd.false_positive_rate[a][l]);
    }
  EXPECT_GT(inside / 120, 0.8);
  EXPECT_LT(off / 120, 0.03);
}

TEST(Crowd, finds_what_an_annotator_with_many_looks_ticks) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 3000});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  const auto annotators = annotator_qualities(fit_crowd(view, pool), view, pool);
  std::vector<double> right(10), ticked(10), wrong(10), ticked_wrong(10);
  for (std::size_t row = 0; row < 3000; ++row)
    for (std::size_t annotation = crowd.votes.first_annotation(row);
         annotation < crowd.votes.first_annotation(row + 1); ++annotation) {
      const std::size_t annotator = crowd.votes.annotator(annotation);
      const auto count = static_cast<double>(crowd.truth.count(row));
      right[annotator] += count;
      wrong[annotator] += 6 - count;
      for (const std::uint32_t l : crowd.votes.ticked(annotation))
        (crowd.truth.get(row, l) ? ticked : ticked_wrong)[annotator] += 1;
    }
  for (std::size_t a = 0; a < 10; ++a) {
    ASSERT_GE(annotators[a].annotations, 300U);
    EXPECT_NEAR(annotators[a].sensitivity.value, ticked[a] / right[a], 0.05) << a;
    EXPECT_NEAR(annotators[a].false_positive_rate.value, ticked_wrong[a] / wrong[a], 0.05) << a;
  }
}

TEST(Crowd, holds_the_noise_of_labels_in_its_intervals) {
  ThreadPool pool(2);
  double inside = 0, width = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SimulatedCrowd crowd = simulate_crowd({.rows = 800, .seed = seed});
    const CrowdView view{&crowd.votes, 6, &crowd.scores};
    const auto labels = label_qualities(fit_crowd(view, pool), view, pool);
    const LabelMatrix ticked = crowd.votes.any_tick(6);
    for (std::size_t l = 0; l < 6; ++l) {
      double wrong = 0, all = 0;
      for (std::size_t row = 0; row < 800; ++row)
        if (ticked.get(row, l)) {
          all += 1;
          wrong += !crowd.truth.get(row, l);
        }
      inside += labels[l].noise.low <= wrong / all && wrong / all <= labels[l].noise.high;
      width += labels[l].noise.high - labels[l].noise.low;
      EXPECT_EQ(labels[l].rows_ticked, static_cast<std::size_t>(all));
    }
  }
  EXPECT_GE(inside / 30, 0.8);
  EXPECT_LT(width / 30, 0.6);
}

// What most of the annotators who did not look would have said is not known here, so the consensus
// is taken from all ten of them.
TEST(Crowd, claims_what_more_annotators_would_say) {
  const SimulatedCrowd all = simulate_crowd({.rows = 3000, .annotations = 10, .hardness = 1.5});
  VoteCollector said;
  LabelMatrix consensus(3000, 6);
  for (std::uint32_t row = 0; row < 3000; ++row) {
    std::vector<int> ticks(6);
    const std::size_t first = all.votes.first_annotation(row);
    for (std::size_t annotation = first; annotation < first + 10; ++annotation) {
      const bool given = (annotation - first + row) % 10 < 3;
      if (given) said.annotate(row, all.votes.annotator(annotation));
      for (const std::uint32_t l : all.votes.ticked(annotation))
        if (given)
          said.tick(row, all.votes.annotator(annotation), l);
        else
          ++ticks[l];
    }
    for (std::size_t l = 0; l < 6; ++l) consensus.set(row, l, ticks[l] > 3);
  }
  const Votes votes = said.finish(3000, names(10));
  ThreadPool pool(2);
  const LabelMatrix ticked = votes.any_tick(6);
  const auto error = [&](const Matrix& q) { return calibration_error(q, consensus, ticked); };
  EXPECT_LT(error(probabilities_of({&votes, 6, nullptr}, pool)), 0.06);
  EXPECT_LT(error(probabilities_of({&votes, 6, nullptr}, pool)),
            error(aggregate(votes, 6, Aggregation::TwoCoins, pool)));
}

// Person 0 again, under the names of four others, who draw this share of their votes anew.
Votes with_copies(const Votes& votes, std::size_t labels, double redrawn = 0) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < votes.rows(); ++row)
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation)
      for (std::uint32_t copy = 0; copy < (votes.annotator(annotation) == 0 ? 5U : 1U); ++copy) {
        const std::uint32_t annotator = copy == 0 ? votes.annotator(annotation) : 9 + copy;
        said.annotate(row, annotator);
        for (std::uint32_t l = 0; l < labels; ++l) {
          Random random(17, Purpose::Test, row, copy * 100 + l);
          const bool ticked = std::ranges::binary_search(votes.ticked(annotation), l);
          const bool anew = copy > 0 && random.chance(redrawn);
          if (anew ? random.chance(0.25) : ticked) said.tick(row, annotator, l);
        }
      }
  return said.finish(votes.rows(), names(14));
}

TEST(Crowd, copies_of_an_annotator_count_once) {
  const SimulatedCrowd crowd = simulate_crowd({});
  const Votes copied = with_copies(crowd.votes, 6);
  ThreadPool pool(2);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const auto area = [&](const Votes& votes, const CrowdOptions& options) {
    return area_among(probabilities_of({&votes, 6, nullptr}, pool, options), crowd.truth, ticked);
  };
  const double alone = area(crowd.votes, {});
  EXPECT_NEAR(area(copied, {}), alone, 0.005);
  EXPECT_LT(area(copied, {.find_copies = false}), alone - 0.005);
  CrowdOptions declared{.find_copies = false};
  declared.groups.assign(14, kNoGroup);
  for (const std::size_t a : {0U, 10U, 11U, 12U, 13U}) declared.groups[a] = 0;
  EXPECT_NEAR(area(copied, declared), alone, 0.005);
  const CrowdModel model = fit_crowd({&copied, 6, nullptr}, pool);
  ASSERT_EQ(model.alike().size(), 10U);  // pairs of five
  EXPECT_GT(model.alike()[9].correlation, 0.99);
  EXPECT_TRUE(fit_crowd({&crowd.votes, 6, nullptr}, pool).alike().empty());
}

TEST(Crowd, copies_that_draw_a_tenth_anew_count_once_and_are_named) {
  const SimulatedCrowd crowd = simulate_crowd({});
  const Votes copied = with_copies(crowd.votes, 6, 0.1);
  ThreadPool pool(2);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const auto area = [&](const Votes& votes, const CrowdOptions& options) {
    return area_among(probabilities_of({&votes, 6, nullptr}, pool, options), crowd.truth, ticked);
  };
  CrowdOptions declared{.find_copies = false};
  declared.groups.assign(14, kNoGroup);
  for (const std::size_t a : {0U, 10U, 11U, 12U, 13U}) declared.groups[a] = 0;
  EXPECT_NEAR(area(copied, {}), area(copied, declared), 0.003);
  EXPECT_EQ(fit_crowd({&copied, 6, nullptr}, pool).alike().size(), 10U);
}

TEST(Crowd, scores_that_mislead_do_not_count) {
  const SimulatedCrowd crowd = simulate_crowd({});
  Matrix nonsense(crowd.scores.rows(), 6);
  for (std::size_t row = 0; row < nonsense.rows(); ++row)
    for (std::size_t l = 0; l < 6; ++l)
      nonsense(row, l) = crowd.scores((row * 7 + 3) % nonsense.rows(), l);
  ThreadPool pool(2);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const double votes =
      area_among(probabilities_of({&crowd.votes, 6, nullptr}, pool), crowd.truth, ticked);
  const double both =
      area_among(probabilities_of({&crowd.votes, 6, &nonsense}, pool), crowd.truth, ticked);
  EXPECT_GT(both, votes - 0.005);
}

TEST(Crowd, labels_with_few_votes_to_compare_ignore_names) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 40});
  ThreadPool pool(2);
  VoteCollector said;
  for (std::uint32_t row = 0; row < 40; ++row)
    for (std::size_t annotation = crowd.votes.first_annotation(row);
         annotation < crowd.votes.first_annotation(row + 1); ++annotation) {
      said.annotate(row, crowd.votes.annotator(annotation));
      for (const std::uint32_t l : crowd.votes.ticked(annotation))
        if (l != 2 || row < 3) said.tick(row, crowd.votes.annotator(annotation), l);
    }
  const Votes votes = said.finish(40, names(10));
  const CrowdView view{&votes, 6, nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  EXPECT_FALSE(model.weights(2).names);
  EXPECT_TRUE(model.weights(0).names);
  std::vector<float> q(6);
  model.probabilities(view, 5, q);
  EXPECT_LT(q[2], 0.1F);  // nobody ticked it
  std::size_t ticked = 0;
  for (std::size_t annotation = votes.first_annotation(0); annotation < votes.first_annotation(1);
       ++annotation)
    for (const std::uint32_t l : votes.ticked(annotation)) ticked += l == 2 ? 1 : 0;
  model.probabilities(view, 0, q);
  if (ticked > 0) {
    EXPECT_FLOAT_EQ(
        q[2], (static_cast<float>(ticked) + 1) / (static_cast<float>(votes.annotations(0)) + 2));
  }
}

TEST(Exclusive, labels_that_nobody_ticks_together_are_found_and_kept_apart) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < 300; ++row) {
    said.tick(row, row % 3, row % 2);  // 0 or 1
    if (row % 3 == 0) said.tick(row, row % 3, 2);
  }
  const Votes votes = said.finish(300, names(3));
  const auto pairs = exclusive_pairs(votes);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].first, 0U);
  EXPECT_EQ(pairs[0].second, 1U);
  EXPECT_NEAR(pairs[0].expected, 75, 1e-9);
  LabelMatrix labels(1, 4);
  for (const std::size_t l : {0U, 1U, 2U}) labels.set(0, l);
  Matrix q(1, 4);
  q(0, 0) = 0.6F;
  q(0, 1) = 0.7F;
  q(0, 2) = 0.2F;
  EXPECT_EQ(keep_apart(pairs, CandidateScores(q, labels.share()), labels), 1U);
  EXPECT_TRUE(!labels.get(0, 0) && labels.get(0, 1) && labels.get(0, 2));
}

TEST(Crowd, is_better_calibrated_than_dawid_skene_where_rows_fool_everyone) {
  const SimulatedCrowd crowd = simulate_crowd({.annotations = 8, .hardness = 2});
  ThreadPool pool(2);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const auto error = [&](const Matrix& q) { return calibration_error(q, crowd.truth, ticked); };
  EXPECT_LT(error(probabilities_of({&crowd.votes, 6, nullptr}, pool)),
            error(aggregate(crowd.votes, 6, Aggregation::TwoCoins, pool)) - 0.02);
}

TEST(Crowd, same_bits_for_any_number_of_threads) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 600});
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  ThreadPool one(1), three(3);
  EXPECT_TRUE(same_bits(probabilities_of(view, one), probabilities_of(view, three)));
  EXPECT_TRUE(same_bits(aggregate(crowd.votes, 6, Aggregation::TwoCoins, one),
                        aggregate(crowd.votes, 6, Aggregation::TwoCoins, three)));
  const CrowdModel a = fit_crowd(view, one), b = fit_crowd(view, three);
  EXPECT_EQ(annotator_qualities(a, view, one)[4].sensitivity.low,
            annotator_qualities(b, view, three)[4].sensitivity.low);
  EXPECT_EQ(label_qualities(a, view, one)[2].noise.high,
            label_qualities(b, view, three)[2].noise.high);
  EXPECT_EQ(check_by_held_out_annotators(a, view, one).log_likelihood,
            check_by_held_out_annotators(b, view, three).log_likelihood);
}

TEST(Crowd, does_not_hang_on_the_order_of_rows) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 600, .labels = 4});
  VoteCollector turned;
  Matrix scores(600, 4);
  for (std::uint32_t row = 0; row < 600; ++row) {
    const std::uint32_t back = 599 - row;
    std::ranges::copy(crowd.scores.row(row), scores.row(back).begin());
    for (std::size_t k = crowd.votes.first_annotation(row);
         k < crowd.votes.first_annotation(row + 1); ++k) {
      const auto annotator = static_cast<std::uint32_t>(crowd.votes.annotator(k));
      turned.annotate(back, annotator);
      for (const std::uint32_t label : crowd.votes.ticked(k)) turned.tick(back, annotator, label);
    }
  }
  const Votes votes = turned.finish(600, names(10));
  ThreadPool pool(2);
  const Matrix forwards = probabilities_of({&crowd.votes, 4, &crowd.scores}, pool);
  const Matrix backwards = probabilities_of({&votes, 4, &scores}, pool);
  for (std::size_t row = 0; row < 600; ++row)
    for (std::size_t l = 0; l < 4; ++l)
      EXPECT_NEAR(forwards(row, l), backwards(599 - row, l), 0.002F) << row << " " << l;
}

TEST(Crowd, finds_labels_that_nobody_ticked) {
  const SimulatedCrowd crowd = simulate_crowd({.annotations = 2, .sharpness = 2.5});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  const CrowdModel model = fit_crowd(view, pool);
  const std::vector<CellProbability> missing = missing_labels(model, view, pool);
  ASSERT_GE(missing.size(), 3u);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  double right = 0;
  for (std::size_t k = 0; k < missing.size(); ++k) {
    EXPECT_FALSE(ticked.get(missing[k].row, missing[k].label));
    EXPECT_LE(missing[k].probability, missing[k == 0 ? 0 : k - 1].probability);
    right += crowd.truth.get(missing[k].row, missing[k].label);
  }
  EXPECT_GT(right / static_cast<double>(missing.size()), 0.7);
  EXPECT_EQ(missing_labels(model, view, pool, 2).size(), 2u);
}

TEST(Crowd, gives_candidates_the_posterior_as_confidence) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 300});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const CandidateScores candidate_probabilities =
      crowd_candidate_probabilities(model, view, ticked, pool);
  const Matrix probabilities = crowd_probabilities(model, view, pool);
  for (std::size_t row = 0; row < 300; ++row)
    for (std::size_t l = 0; l < 6; ++l)
      EXPECT_EQ(candidate_probabilities(row, l), ticked.get(row, l) ? probabilities(row, l) : 0.0F);
}

TEST(Crowd, annotators_tick_as_often_as_claimed) {
  const SimulatedCrowd crowd = simulate_crowd({});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  const HeldOutCheck check = check_by_held_out_annotators(fit_crowd(view, pool), view, pool);
  ASSERT_EQ(check.classes.size(), 10u);
  std::size_t votes = 0;
  for (const HeldOutCheck::Class& one : check.classes) votes += one.votes;
  EXPECT_EQ(votes, crowd.votes.annotations() * 6);
  EXPECT_LT(check.error, 0.02);
}

TEST(Crowd, suspects_an_annotator_who_ticks_at_random) {
  SimulatedCrowd crowd = simulate_crowd({});
  VoteCollector said;
  for (std::size_t row = 0; row < crowd.votes.rows(); ++row) {
    for (std::size_t annotation = crowd.votes.first_annotation(row);
         annotation < crowd.votes.first_annotation(row + 1); ++annotation) {
      const std::uint32_t annotator = crowd.votes.annotator(annotation);
      said.annotate(static_cast<std::uint32_t>(row), annotator);
      if (annotator != 3)
        for (const std::uint32_t l : crowd.votes.ticked(annotation))
          said.tick(static_cast<std::uint32_t>(row), annotator, l);
      else  // whatever the row
        said.tick(static_cast<std::uint32_t>(row), annotator, static_cast<std::uint32_t>(row % 6));
    }
  }
  const Votes votes = said.finish(crowd.votes.rows(), names(10));
  ThreadPool pool(2);
  const CrowdView view{&votes, 6, nullptr};
  const auto annotators = annotator_qualities(fit_crowd(view, pool), view, pool);
  for (std::size_t a = 0; a < 10; ++a) EXPECT_EQ(annotators[a].guesses, a == 3) << a;
  EXPECT_LT(annotators[3].agreement, annotators[0].agreement);
}

TEST(Crowd, suspects_nobody_after_one_annotation) {
  SimulatedCrowd crowd = simulate_crowd({.rows = 60});
  VoteCollector said;
  std::vector<std::uint32_t> number(10);
  std::iota(number.begin(), number.end(), 0U);
  said.add(crowd.votes, 0, number);
  said.tick(0, 10, 5);
  const Votes votes = said.finish(60, names(11));
  ThreadPool pool(2);
  const CrowdView view{&votes, 6, nullptr};
  EXPECT_FALSE(annotator_qualities(fit_crowd(view, pool), view, pool)[10].guesses);
}

TEST(Crowd, gold_cells_move_the_line_to_where_the_expert_draws_it) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 1000});
  // For this expert half of what the crowd takes for right is not.
  LabelMatrix strict = crowd.truth.clone();
  for (std::size_t row = 0; row < 1000; row += 2)
    for (std::size_t l = 0; l < 6; ++l) strict.set(row, l, false);
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  CrowdModel model = fit_crowd(view, pool);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const double before = calibration_error(crowd_probabilities(model, view, pool), strict, ticked);
  std::vector<GoldCell> gold;
  for (std::uint32_t row = 0; row < 40; ++row)
    for (std::uint32_t l = 0; l < 6; ++l) gold.push_back({row, l, strict.get(row, l)});
  model = with_gold(std::move(model), view, gold);
  const double after = calibration_error(crowd_probabilities(model, view, pool), strict, ticked);
  EXPECT_GT(before, 0.12);
  EXPECT_LT(after, 0.08);
  EXPECT_EQ(model.gold(0).cells, 40u);
}

TEST(Crowd, refuses_what_does_not_fit_together) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 50});
  ThreadPool pool(1);
  const auto refused = [&](const CrowdView& view) {
    try {
      fit_crowd(view, pool);
      return std::string("not refused");
    } catch (const Error& error) {
      return error.message();
    }
  };
  const Matrix narrow(50, 5), shorter(49, 6);
  EXPECT_NE(refused({&crowd.votes, 6, &narrow}).find("5 labels"), std::string::npos);
  EXPECT_NE(refused({&crowd.votes, 6, &shorter}).find("49 rows"), std::string::npos);
  EXPECT_NE(refused({&crowd.votes, 3, nullptr}).find("but there are 3"), std::string::npos);
  Matrix broken = crowd.scores.clone();
  broken(7, 2) = std::nanf("");
  EXPECT_NE(refused({&crowd.votes, 6, &broken}).find("row 8"), std::string::npos);
  const CrowdView view{&crowd.votes, 6, nullptr};
  const std::vector<GoldCell> outside = {{50, 0, true}};
  EXPECT_THROW(with_gold(fit_crowd(view, pool), view, outside), Error);
}

TEST(OddCrowd, one_judgement) {
  SimulatedCrowd crowd = simulate_crowd({.rows = 60});
  VoteCollector said;
  for (std::uint32_t row = 0; row < 60; ++row)
    for (std::size_t annotation = crowd.votes.first_annotation(row);
         annotation < crowd.votes.first_annotation(row + 1); ++annotation) {
      said.annotate(row, crowd.votes.annotator(annotation));
      for (const std::uint32_t l : crowd.votes.ticked(annotation))
        said.tick(row, crowd.votes.annotator(annotation), l);
    }
  said.tick(0, 10, 2);
  const Votes votes = said.finish(60, names(12));  // and one who never looked
  expect_sensible({&votes, 6, nullptr});
  expect_sensible({&votes, 6, &crowd.scores});
}

TEST(OddCrowd, everyone_agrees) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < 80; ++row)
    for (std::uint32_t annotator = 0; annotator < 3; ++annotator)
      said.tick(row, annotator, row % 4);
  const Votes votes = said.finish(80, names(3));
  expect_sensible({&votes, 4, nullptr});
  ThreadPool pool(1);
  const Matrix q = probabilities_of({&votes, 4, nullptr}, pool);
  EXPECT_GT(q(0, 0), 0.9F);
  EXPECT_LT(q(0, 1), 0.1F);
}

TEST(OddCrowd, an_annotator_who_ticks_everything_and_a_label_nobody_ticks) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 100});
  VoteCollector said;
  for (std::uint32_t row = 0; row < 100; ++row) {
    for (std::size_t annotation = crowd.votes.first_annotation(row);
         annotation < crowd.votes.first_annotation(row + 1); ++annotation)
      for (const std::uint32_t l : crowd.votes.ticked(annotation))
        said.tick(row, crowd.votes.annotator(annotation), l);
    for (std::uint32_t l = 0; l < 6; ++l) said.tick(row, 10, l);
  }
  const Votes votes = said.finish(100, names(11));
  expect_sensible({&votes, 8, nullptr});  // labels 6 and 7: never
}

TEST(OddCrowd, rows_nobody_looked_at_and_none_at_all) {
  VoteCollector said;
  said.tick(1, 0, 0);
  const Votes votes = said.finish(5, names(1));
  expect_sensible({&votes, 2, nullptr});
  const Votes nothing = VoteCollector().finish(4, {});
  expect_sensible({&nothing, 3, nullptr});
  const Votes empty = VoteCollector().finish(0, {});
  expect_sensible({&empty, 0, nullptr});
}

}  // namespace
}  // namespace sieve
