#include <gtest/gtest.h>

#include <cmath>

#include "labelsieve/error.h"
#include "labelsieve/observation.h"
#include "observation/simulated_crowd.h"

namespace sieve {
namespace {

Matrix posterior_of(const CrowdView& view, ThreadPool& pool, const CrowdOptions& options = {}) {
  return crowd_posterior(fit_crowd(view, pool, options), view, pool);
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
  for (std::size_t a = 0; a < model.people(); ++a)
    for (std::size_t l = 0; l < model.labels(); ++l) {
      EXPECT_TRUE(holds(model.sensitivity(a, l))) << a << " " << l;
      EXPECT_TRUE(holds(model.false_ticks(a, l))) << a << " " << l;
    }
  const Matrix posterior = crowd_posterior(model, view, pool);
  for (std::size_t i = 0; i < posterior.rows(); ++i)
    for (const float q : posterior.row(i)) EXPECT_TRUE(inside(q)) << q;
  for (const LabelQuality& label : label_qualities(model, view, pool)) {
    EXPECT_TRUE(holds(label.sensitivity) && holds(label.false_ticks));
    EXPECT_TRUE(label.rows_ticked == 0 || holds(label.noise)) << label.noise.value;
  }
  for (const PersonQuality& person : person_qualities(model, view, pool)) {
    EXPECT_TRUE(holds(person.sensitivity) && holds(person.false_ticks));
    EXPECT_TRUE(person.agreement >= 0 && person.agreement <= 1);
  }
  EXPECT_TRUE(std::isfinite(check_by_held_out_people(model, view, pool).log_likelihood));
}

TEST(Crowd, ranks_ticks_better_than_shares_and_dawid_skene) {
  const SimulatedCrowd crowd = simulate_crowd({});
  ThreadPool pool(2);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const auto area = [&](const Matrix& q) { return area_among(q, crowd.truth, ticked); };
  const double share = area(aggregate(crowd.votes, 6, Aggregation::Share, pool));
  const double coins = area(aggregate(crowd.votes, 6, Aggregation::TwoCoins, pool));
  const double votes = area(posterior_of({&crowd.votes, 6, nullptr}, pool));
  const double both = area(posterior_of({&crowd.votes, 6, &crowd.scores}, pool));
  EXPECT_GT(coins, share + 0.02);
  EXPECT_GT(votes, coins - 0.002);
  EXPECT_GT(both, votes + 0.02);
  EXPECT_GT(both, 0.97);
}

TEST(Crowd, claims_what_holds) {
  const SimulatedCrowd crowd = simulate_crowd({});
  ThreadPool pool(2);
  const Matrix q = posterior_of({&crowd.votes, 6, &crowd.scores}, pool);
  EXPECT_LT(calibration_error(q, crowd.truth, crowd.votes.any_tick(6)), 0.03);
}

TEST(Crowd, finds_the_rates_of_people) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 3000});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  const CrowdModel model = fit_crowd(view, pool);
  double inside = 0, off = 0;
  for (std::size_t a = 0; a < 10; ++a)
    for (std::size_t l = 0; l < 6; ++l) {
      const Estimate s = model.sensitivity(a, l), f = model.false_ticks(a, l);
      inside += s.low <= crowd.sensitivity[a][l] && crowd.sensitivity[a][l] <= s.high;
      inside += f.low <= crowd.false_ticks[a][l] && crowd.false_ticks[a][l] <= f.high;
      off += std::abs(s.value - crowd.sensitivity[a][l]);
      off += std::abs(f.value - crowd.false_ticks[a][l]);
    }
  EXPECT_GT(inside / 120, 0.8);
  EXPECT_LT(off / 120, 0.03);
}

TEST(Crowd, finds_what_a_person_with_many_looks_ticks) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 3000});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  const auto people = person_qualities(fit_crowd(view, pool), view, pool);
  std::vector<double> right(10), ticked(10), wrong(10), ticked_wrong(10);
  for (std::size_t row = 0; row < 3000; ++row)
    for (std::size_t look = crowd.votes.first_look(row); look < crowd.votes.first_look(row + 1);
         ++look) {
      const std::size_t person = crowd.votes.person(look);
      const auto count = static_cast<double>(crowd.truth.count(row));
      right[person] += count;
      wrong[person] += 6 - count;
      for (const std::uint32_t l : crowd.votes.ticked(look))
        (crowd.truth.get(row, l) ? ticked : ticked_wrong)[person] += 1;
    }
  for (std::size_t a = 0; a < 10; ++a) {
    ASSERT_GE(people[a].looks, 300U);
    EXPECT_NEAR(people[a].sensitivity.value, ticked[a] / right[a], 0.05) << a;
    EXPECT_NEAR(people[a].false_ticks.value, ticked_wrong[a] / wrong[a], 0.05) << a;
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
  EXPECT_LT(width / 30, 0.25);
}

TEST(Crowd, counts_votes_for_less_where_rows_fool_everyone) {
  ThreadPool pool(2);
  const auto mean_power = [&](double hardness) {
    const SimulatedCrowd crowd = simulate_crowd({.looks = 8, .hardness = hardness});
    const CrowdModel model = fit_crowd({&crowd.votes, 6, nullptr}, pool);
    double sum = 0;
    for (std::size_t l = 0; l < 6; ++l) sum += model.weights(l).votes / 6;
    return sum;
  };
  const double alone = mean_power(0), together = mean_power(2);
  EXPECT_GT(alone, 0.75);
  EXPECT_LT(together, 0.6);
}

TEST(Crowd, is_better_calibrated_than_dawid_skene_where_rows_fool_everyone) {
  const SimulatedCrowd crowd = simulate_crowd({.looks = 8, .hardness = 2});
  ThreadPool pool(2);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const auto error = [&](const Matrix& q) { return calibration_error(q, crowd.truth, ticked); };
  EXPECT_LT(error(posterior_of({&crowd.votes, 6, nullptr}, pool)),
            error(aggregate(crowd.votes, 6, Aggregation::TwoCoins, pool)) - 0.02);
}

TEST(Crowd, same_bits_for_any_number_of_threads) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 600});
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  ThreadPool one(1), three(3);
  EXPECT_TRUE(same_bits(posterior_of(view, one), posterior_of(view, three)));
  EXPECT_TRUE(same_bits(aggregate(crowd.votes, 6, Aggregation::TwoCoins, one),
                        aggregate(crowd.votes, 6, Aggregation::TwoCoins, three)));
  const CrowdModel a = fit_crowd(view, one), b = fit_crowd(view, three);
  EXPECT_EQ(person_qualities(a, view, one)[4].sensitivity.low,
            person_qualities(b, view, three)[4].sensitivity.low);
  EXPECT_EQ(label_qualities(a, view, one)[2].noise.high,
            label_qualities(b, view, three)[2].noise.high);
  EXPECT_EQ(check_by_held_out_people(a, view, one).log_likelihood,
            check_by_held_out_people(b, view, three).log_likelihood);
}

TEST(Crowd, finds_labels_that_nobody_ticked) {
  const SimulatedCrowd crowd = simulate_crowd({.looks = 2, .sharpness = 2.5});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  const CrowdModel model = fit_crowd(view, pool);
  const std::vector<CellBelief> missing = missing_labels(model, view, pool, 40);
  ASSERT_EQ(missing.size(), 40u);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  double right = 0;
  for (std::size_t k = 0; k < missing.size(); ++k) {
    EXPECT_FALSE(ticked.get(missing[k].row, missing[k].label));
    EXPECT_LE(missing[k].probability, missing[k == 0 ? 0 : k - 1].probability);
    right += crowd.truth.get(missing[k].row, missing[k].label);
  }
  EXPECT_GT(right / 40, 0.7);
  EXPECT_EQ(missing_labels(model, view, pool, 7).size(), 7u);
}

TEST(Crowd, gives_candidates_the_posterior_as_confidence) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 300});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  const LabelMatrix ticked = crowd.votes.any_tick(6);
  const CandidateScores confidence = crowd_confidence(model, view, ticked, pool);
  const Matrix posterior = crowd_posterior(model, view, pool);
  for (std::size_t row = 0; row < 300; ++row)
    for (std::size_t l = 0; l < 6; ++l)
      EXPECT_EQ(confidence(row, l), ticked.get(row, l) ? posterior(row, l) : 0.0F);
}

TEST(Crowd, people_tick_as_often_as_claimed) {
  const SimulatedCrowd crowd = simulate_crowd({});
  ThreadPool pool(2);
  const CrowdView view{&crowd.votes, 6, &crowd.scores};
  const HeldOutCheck check = check_by_held_out_people(fit_crowd(view, pool), view, pool);
  ASSERT_EQ(check.classes.size(), 10u);
  std::size_t votes = 0;
  for (const HeldOutCheck::Class& one : check.classes) votes += one.votes;
  EXPECT_EQ(votes, crowd.votes.looks() * 6);
  EXPECT_LT(check.error, 0.02);
}

TEST(Crowd, suspects_a_person_who_ticks_at_random) {
  SimulatedCrowd crowd = simulate_crowd({});
  VoteCollector said;
  for (std::size_t row = 0; row < crowd.votes.rows(); ++row) {
    for (std::size_t look = crowd.votes.first_look(row); look < crowd.votes.first_look(row + 1);
         ++look) {
      const std::uint32_t person = crowd.votes.person(look);
      said.look(static_cast<std::uint32_t>(row), person);
      if (person != 3)
        for (const std::uint32_t l : crowd.votes.ticked(look))
          said.tick(static_cast<std::uint32_t>(row), person, l);
      else  // whatever the row
        said.tick(static_cast<std::uint32_t>(row), person, static_cast<std::uint32_t>(row % 6));
    }
  }
  const Votes votes = said.finish(crowd.votes.rows(), names(10));
  ThreadPool pool(2);
  const CrowdView view{&votes, 6, nullptr};
  const auto people = person_qualities(fit_crowd(view, pool), view, pool);
  for (std::size_t a = 0; a < 10; ++a) EXPECT_EQ(people[a].guesses, a == 3) << a;
  EXPECT_LT(people[3].agreement, people[0].agreement);
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
  const double before = calibration_error(crowd_posterior(model, view, pool), strict, ticked);
  std::vector<GoldCell> gold;
  for (std::uint32_t row = 0; row < 40; ++row)
    for (std::uint32_t l = 0; l < 6; ++l) gold.push_back({row, l, strict.get(row, l)});
  model = with_gold(std::move(model), view, gold);
  const double after = calibration_error(crowd_posterior(model, view, pool), strict, ticked);
  EXPECT_GT(before, 0.2);
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
    for (std::size_t look = crowd.votes.first_look(row); look < crowd.votes.first_look(row + 1);
         ++look) {
      said.look(row, crowd.votes.person(look));
      for (const std::uint32_t l : crowd.votes.ticked(look))
        said.tick(row, crowd.votes.person(look), l);
    }
  said.tick(0, 10, 2);
  const Votes votes = said.finish(60, names(12));  // and one who never looked
  expect_sensible({&votes, 6, nullptr});
  expect_sensible({&votes, 6, &crowd.scores});
}

TEST(OddCrowd, everyone_agrees) {
  VoteCollector said;
  for (std::uint32_t row = 0; row < 80; ++row)
    for (std::uint32_t person = 0; person < 3; ++person) said.tick(row, person, row % 4);
  const Votes votes = said.finish(80, names(3));
  expect_sensible({&votes, 4, nullptr});
  ThreadPool pool(1);
  const Matrix q = posterior_of({&votes, 4, nullptr}, pool);
  EXPECT_GT(q(0, 0), 0.9F);
  EXPECT_LT(q(0, 1), 0.1F);
}

TEST(OddCrowd, a_person_who_ticks_everything_and_a_label_nobody_ticks) {
  const SimulatedCrowd crowd = simulate_crowd({.rows = 100});
  VoteCollector said;
  for (std::uint32_t row = 0; row < 100; ++row) {
    for (std::size_t look = crowd.votes.first_look(row); look < crowd.votes.first_look(row + 1);
         ++look)
      for (const std::uint32_t l : crowd.votes.ticked(look))
        said.tick(row, crowd.votes.person(look), l);
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
