#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "labelsieve/error.h"
#include "labelsieve/metrics.h"
#include "metrics/samples.h"

namespace sieve {
namespace {

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

}  // namespace sieve
