#include <fmt/format.h>

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "labelsieve/error.h"
#include "labelsieve/metrics.h"
#include "metrics/samples.h"
#include "metrics/studentized_range.h"

namespace sieve {
namespace {

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
