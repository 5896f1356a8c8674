#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "labelsieve/metrics.h"
#include "support/python_check.h"
#include "support/support.h"

namespace sieve {
namespace {

using Figures = std::map<std::string, double>;

void expect_close(double got, double expected, double tolerance, const std::string& what) {
  EXPECT_NEAR(got, expected, tolerance * std::max(1.0, std::abs(expected))) << what;
}

// Two rows of values, b a little below a; rounded to `step` if that is not 0.
MatrixD draw_pair(std::size_t size, double step, std::uint64_t seed) {
  MatrixD pair(2, size);
  Random random(seed, Purpose::Test);
  for (std::size_t i = 0; i < size; ++i) {
    const double base = random.normal();
    pair(0, i) = base + 0.3 * random.normal();
    pair(1, i) = base - 0.1 + 0.4 * random.normal();
    for (const std::size_t r : {0U, 1U})
      if (step > 0) pair(r, i) = std::round(pair(r, i) / step) * step;
  }
  return pair;
}

void compare_pair(const Figures& expected, const std::string& name, const MatrixD& pair,
                  bool exact) {
  const auto check = [&](double got, const std::string& figure) {
    expect_close(got, expected.at(name + "/" + figure), 1e-9, name + " " + figure);
  };
  const TestResult paired = paired_t_test(pair.row(0), pair.row(1));
  check(paired.statistic, "paired-t");
  check(paired.p_value, "paired-p");
  const TestResult welch = welch_t_test(pair.row(0), pair.row(1));
  check(welch.statistic, "welch-t");
  check(welch.p_value, "welch-p");
  const TestResult wilcoxon = wilcoxon_test(pair.row(0), pair.row(1));
  check(wilcoxon.p_value, exact ? "wilcoxon-exact-p" : "wilcoxon-approx-p");
  const double n = wilcoxon.degrees;
  check((n * (n + 1) / 2 - std::abs(wilcoxon.statistic)) / 2, "wilcoxon-smaller");
}

MatrixD draw_values(std::size_t data_sets, std::size_t methods, std::size_t levels,
                    std::uint64_t seed) {
  MatrixD values(data_sets, methods);
  Random random(seed, Purpose::Test);
  for (std::size_t i = 0; i < data_sets; ++i)
    for (std::size_t j = 0; j < methods; ++j)
      values(i, j) = levels == 0 ? random.uniform() + 0.05 * static_cast<double>(j)
                                 : static_cast<double>(random.below(levels));
  return values;
}

void compare_friedman(const Figures& expected, const std::string& name, const MatrixD& values) {
  const FriedmanResult result = friedman_test(values, false);
  expect_close(result.chi_square, expected.at(name + "/chi"), 1e-9, name + " chi");
  expect_close(result.f_statistic, expected.at(name + "/f"), 1e-9, name + " f");
  expect_close(result.p_value, expected.at(name + "/p"), 1e-9, name + " p");
}

TEST(ScipyParity, tests_of_pairs_agree) {
  REQUIRE_PYTHON();
  const test::TempFolder folder;
  struct Case {
    std::string name;
    MatrixD pair;
    bool exact;
  };
  std::vector<Case> cases;
  for (const std::size_t size : {2U, 3U, 5U, 10U, 20U, 25U})
    cases.push_back({fmt::format("few-{}", size), draw_pair(size, 0, size), true});
  for (const std::size_t size : {26U, 60U, 500U})
    cases.push_back({fmt::format("many-{}", size), draw_pair(size, 0, size), false});
  for (const std::size_t size : {12U, 40U})
    cases.push_back({fmt::format("tied-{}", size), draw_pair(size, 0.25, size), false});
  for (const Case& c : cases) test::write_matrix(folder / (c.name + ".pair"), c.pair);
  const Figures expected = test::run_python("metrics/scipy_parity.py", folder.path());
  for (const Case& c : cases) compare_pair(expected, c.name, c.pair, c.exact);
}

TEST(ScipyParity, friedman_and_the_studentized_range_agree) {
  REQUIRE_PYTHON();
  const test::TempFolder folder;
  const MatrixD plain = draw_values(24, 6, 0, 1), wide = draw_values(7, 15, 0, 2),
                tied = draw_values(30, 5, 3, 3);
  test::write_matrix(folder / "plain.ranks", plain);
  test::write_matrix(folder / "wide.ranks", wide);
  test::write_matrix(folder / "tied.ranks", tied);
  const Figures expected = test::run_python("metrics/scipy_parity.py", folder.path());
  compare_friedman(expected, "plain", plain);
  compare_friedman(expected, "wide", wide);
  compare_friedman(expected, "tied", tied);
  for (const std::size_t k : {2U, 3U, 6U, 10U, 25U, 60U})
    for (const double level : {0.2, 0.05, 0.01, 0.001}) {
      const std::string name = fmt::format("range/{}-{}", k, level);
      const double unit = std::sqrt(static_cast<double>(k * (k + 1)) / 60);  // 10 data sets
      expect_close(nemenyi_difference(k, 10, level) / unit, expected.at(name), 1e-9, name);
    }
}

}  // namespace
}  // namespace sieve
