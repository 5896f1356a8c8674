#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include "labelsieve/error.h"
#include "labelsieve/metrics.h"

namespace sieve {
namespace {

struct RankedValues {
  std::vector<double> of;                // from 1 (smallest); equal values share their mean rank
  std::vector<std::size_t> group_sizes;  // how many values are equal, smallest first
};

constexpr double kLargest = 1e150;  // squares of larger differences would overflow

// Error(Usage) for fewer than 2 values, Error(Data) if one is NaN or beyond 1e150.
void check_sample(std::span<const double> values) {
  if (values.size() < 2)
    throw Error(Failure::Usage,
                fmt::format("a test needs at least 2 values, not {}", values.size()), {},
                "repeat the experiment more often");
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::abs(values[i]) <= kLargest))
      throw Error(
          Failure::Data,
          fmt::format(
              "value {} of a test is not a finite number or too large (values count from 1)",
              i + 1),
          {}, "leave out the measure or the repeat that has no value");
}

// a[i] - b[i], after checking both and that their sizes match.
std::vector<double> differences(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size())
    throw Error(Failure::Usage,
                fmt::format("a paired test needs matched values, not {} and {} of them", a.size(),
                            b.size()),
                {}, "compare the same repeats, or use Welch's test");
  check_sample(a);
  check_sample(b);
  std::vector<double> result(a.size());
  std::ranges::transform(a, b, result.begin(), std::minus<>{});
  return result;
}

RankedValues rank_values(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  RankedValues ranks{std::vector<double>(values.size()), {}};
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double shared = static_cast<double>(begin + 1 + end) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks.of[order[i]] = shared;
    ranks.group_sizes.push_back(end - begin);
  }
  return ranks;
}

struct Moments {
  double mean = 0, variance = 0;  // variance with n - 1; exactly 0 when all values are the same
};

Moments moments(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  // Relative to the first value, so that equal values have no spread whatever the rounding.
  double shift = 0, squares = 0;
  for (const double value : values) shift += (value - values[0]) / n;
  for (const double value : values) squares += std::pow(value - values[0] - shift, 2);
  return {values[0] + shift, squares / (n - 1)};
}

TestResult t_test(double difference, double variance_of_difference, double degrees) {
  if (variance_of_difference == 0) {
    if (difference == 0) return {0, 1, degrees};
    return {std::copysign(std::numeric_limits<double>::infinity(), difference), 0, degrees};
  }
  const double t = difference / std::sqrt(variance_of_difference);
  if (std::isinf(t)) return {t, 0, degrees};
  const boost::math::students_t distribution(degrees);
  return {t, 2 * cdf(complement(distribution, std::abs(t))), degrees};
}

// `overlap` is what shared training rows add to the 1/R of independent repeats.
TestResult t_test_of_differences(std::span<const double> a, std::span<const double> b,
                                 double overlap) {
  const Moments d = moments(differences(a, b));
  const auto n = static_cast<double>(a.size());
  return t_test(d.mean, d.variance * (1 / n + overlap), n - 1);
}

}  // namespace

TestResult paired_t_test(std::span<const double> a, std::span<const double> b) {
  return t_test_of_differences(a, b, 0);
}

TestResult corrected_t_test(std::span<const double> a, std::span<const double> b, double test_rows,
                            double train_rows) {
  if (!(test_rows > 0 && train_rows > 0 && std::isfinite(test_rows / train_rows)))
    throw Error(Failure::Usage,
                "the corrected t-test needs the numbers of test and training rows, both above 0");
  return t_test_of_differences(a, b, test_rows / train_rows);
}

TestResult welch_t_test(std::span<const double> a, std::span<const double> b) {
  check_sample(a);
  check_sample(b);
  const Moments of_a = moments(a), of_b = moments(b);
  const auto n_a = static_cast<double>(a.size()), n_b = static_cast<double>(b.size());
  const double part_a = of_a.variance / n_a, part_b = of_b.variance / n_b, sum = part_a + part_b;
  double degrees = n_a + n_b - 2;
  if (sum > 0) {
    const double share_a = part_a / sum, share_b = part_b / sum;
    degrees = 1 / (share_a * share_a / (n_a - 1) + share_b * share_b / (n_b - 1));
  }
  return t_test(of_a.mean - of_b.mean, sum, degrees);
}

Verdict verdict(const TestResult& test, double level, bool larger_is_better) {
  if (!(test.p_value < level)) return Verdict::Tie;
  return (test.statistic > 0) == larger_is_better ? Verdict::Win : Verdict::Loss;
}

namespace {

constexpr std::size_t kExactPairs = 25;

// Probability that the smaller rank sum of n pairs is at most `smaller`: counts the sets of ranks
// with such a sum among the 2^n equally likely ones.
double exact_p_value(std::size_t n, std::size_t smaller) {
  std::vector<std::uint64_t> sets(smaller + 1);  // sets[s]: sets of ranks that sum to s
  sets[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t sum = smaller; sum >= rank; --sum) sets[sum] += sets[sum - rank];
  std::uint64_t count = 0;
  for (const std::uint64_t part : sets) count += part;
  return std::min(1.0, 2 * std::ldexp(static_cast<double>(count), -static_cast<int>(n)));
}

double approximate_p_value(double n, double difference, const RankedValues& ranks) {
  double variance = n * (n + 1) * (2 * n + 1) / 6;  // of W+ - W-, twice the deviation of W+
  for (const std::size_t size : ranks.group_sizes) {
    const auto tied = static_cast<double>(size);
    variance -= (tied * tied * tied - tied) / 12;
  }
  const double z = std::abs(difference) / std::sqrt(variance);
  return 2 * cdf(complement(boost::math::normal(), z));
}

}  // namespace

TestResult wilcoxon_test(std::span<const double> a, std::span<const double> b) {
  std::vector<double> signed_differences = differences(a, b), sizes;
  std::erase(signed_differences, 0.0);
  if (signed_differences.empty()) return {0, 1, 0};
  for (const double d : signed_differences) sizes.push_back(std::abs(d));
  const RankedValues ranks = rank_values(sizes);
  double positive = 0, negative = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    (signed_differences[i] > 0 ? positive : negative) += ranks.of[i];

  const std::size_t n = sizes.size();
  const bool has_ties = ranks.group_sizes.size() < n;
  const double p = n <= kExactPairs && !has_ties
                       ? exact_p_value(n, static_cast<std::size_t>(std::min(positive, negative)))
                       : approximate_p_value(static_cast<double>(n), positive - negative, ranks);
  return {positive - negative, p, static_cast<double>(n)};
}

namespace {

const boost::math::normal kNormal;

double upper_tail(double z) {
  return cdf(complement(kNormal, z));
}

// P(range > q). With z the smallest value, the others all lie above it with probability a^(count-1)
// and within q of it with probability (a - b)^(count-1); a, b are the tails beyond z, z + q. The
// difference is taken through expm1 and log1p so that small probabilities keep their digits.
double chance_beyond(double q, double count) {
  const auto density = [&](double z) {
    const double a = upper_tail(z), b = upper_tail(z + q);
    const double within = std::expm1((count - 1) * std::log1p(-b / a));
    return -pdf(kNormal, z) * std::pow(a, count - 1) * within;
  };
  // Beyond 12 deviations nothing is left that a double can represent.
  constexpr double kTail = 12;
  using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
  return count * Rule::integrate(density, -kTail - q / 2, kTail, 12, 1e-13);
}

// The value that the range of `count` independent standard normal values exceeds with probability
// `level`: the upper quantile of the studentized range, infinite degrees of freedom. count >= 2,
// 0 < level < 1.
double studentized_range(std::size_t count, double level) {
  const auto k = static_cast<double>(count);
  // The union bound over all pairs is never too small.
  const double high = std::numbers::sqrt2 * quantile(complement(kNormal, level / (k * (k - 1))));
  const auto excess = [&](double q) { return std::log(chance_beyond(q, k) / level); };
  std::uintmax_t steps = 100;
  const auto bracket = boost::math::tools::toms748_solve(
      excess, 0.0, high * (1 + 1e-9), boost::math::tools::eps_tolerance<double>(45), steps);
  return std::midpoint(bracket.first, bracket.second);
}

void check_size(std::size_t methods, std::size_t data_sets) {
  if (methods >= 2 && data_sets >= 2) return;
  throw Error(
      Failure::Usage,
      fmt::format("comparing mean ranks needs at least 2 methods on 2 data sets, not {} on {}",
                  methods, data_sets));
}

// Rank sums of the methods over the data sets; rank 1 is best.
std::vector<double> rank_sums(const MatrixD& values, bool larger_is_better) {
  std::vector<double> sums(values.cols()), losses(values.cols());
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t j = 0; j < values.cols(); ++j) {
      if (std::isnan(values(i, j)))
        throw Error(Failure::Data,
                    fmt::format("the value of data set {}, method {} is not a number (both count "
                                "from 1)",
                                i + 1, j + 1),
                    {}, "leave the data set or the method out");
      losses[j] = larger_is_better ? -values(i, j) : values(i, j);
    }
    const RankedValues ranks = rank_values(losses);
    for (std::size_t j = 0; j < values.cols(); ++j) sums[j] += ranks.of[j];
  }
  return sums;
}

// Agreement of the data sets on the ranking, 0 to 1 (Kendall's W): the spread of the rank sums over
// the largest possible. Doubled rank sums are integers, so perfect agreement is exactly 1.
double concordance(std::span<const double> sums, double data_sets) {
  const auto k = static_cast<double>(sums.size());
  double spread = 0;
  for (const double sum : sums) spread += std::pow(2 * sum - data_sets * (k + 1), 2);
  return 3 * spread / (data_sets * data_sets * k * (k * k - 1));
}

double rank_error(std::size_t methods, std::size_t data_sets) {
  const auto k = static_cast<double>(methods);
  return std::sqrt(k * (k + 1) / (6 * static_cast<double>(data_sets)));
}

// Beyond these bounds rounding defeats the root finder, and nobody would believe the answer.
void check_level(double level) {
  if (level >= 1e-100 && level <= 0.999) return;
  throw Error(Failure::Usage,
              fmt::format("a level must lie between 1e-100 and 0.999, not {}", level), {},
              "0.05 is the usual level");
}

}  // namespace

FriedmanResult friedman_test(const MatrixD& values, bool larger_is_better) {
  check_size(values.cols(), values.rows());
  const auto n = static_cast<double>(values.rows()), k = static_cast<double>(values.cols());
  FriedmanResult result;
  result.data_sets = values.rows(), result.methods = values.cols();
  result.mean_ranks = rank_sums(values, larger_is_better);
  const double w = concordance(result.mean_ranks, n);
  for (double& rank : result.mean_ranks) rank /= n;

  result.chi_square = n * (k - 1) * w;
  if (w == 1) {
    result.f_statistic = std::numeric_limits<double>::infinity();
    result.p_value = 0;
  } else {
    result.f_statistic = (n - 1) * w / (1 - w);
    const boost::math::fisher_f distribution(k - 1, (k - 1) * (n - 1));
    result.p_value = cdf(complement(distribution, result.f_statistic));
  }
  return result;
}

double nemenyi_difference(std::size_t methods, std::size_t data_sets, double level) {
  check_size(methods, data_sets);
  check_level(level);
  return studentized_range(methods, level) / std::sqrt(2.0) * rank_error(methods, data_sets);
}

double bonferroni_dunn_difference(std::size_t methods, std::size_t data_sets, double level) {
  check_size(methods, data_sets);
  check_level(level);
  const double share = level / (2 * static_cast<double>(methods - 1));
  return quantile(complement(boost::math::normal(), share)) * rank_error(methods, data_sets);
}

}  // namespace sieve
