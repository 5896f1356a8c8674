#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "labelsieve/matrix.h"

namespace sieve {

// A two-sided test. `statistic` is signed (positive: a is larger than b on average).
struct TestResult {
  double statistic = 0;
  double p_value = 1;
  double degrees = 0;  // degrees of freedom, or pairs used for Wilcoxon
};

// Differences a[i] - b[i] over matched repeats. With no spread at all: p = 1 if the mean difference
// is 0, else p = 0 and an infinite statistic. Error(Usage) unless sizes match and are at least 2;
// Error(Data) for a value that is NaN or beyond 1e150. The other tests check the same way.
TestResult paired_t_test(std::span<const double> a, std::span<const double> b);
// The same with the variance corrected for overlapping training sets (Nadeau and Bengio, 2003):
// 1/R becomes 1/R + test_rows / train_rows. Error(Usage) unless both are above 0.
TestResult corrected_t_test(std::span<const double> a, std::span<const double> b, double test_rows,
                            double train_rows);
// Welch's test for repeats that are not matched; the sizes may differ.
TestResult welch_t_test(std::span<const double> a, std::span<const double> b);
// Wilcoxon signed-rank; zero differences are dropped; exact for up to 25 pairs without ties, else
// the normal approximation with tie correction (no continuity correction), as scipy does. The
// statistic is W+ - W-, the rank sum of positive minus that of negative differences.
TestResult wilcoxon_test(std::span<const double> a, std::span<const double> b);

enum class Verdict { Win, Tie, Loss };
// Of a against b at the given level; `larger_is_better` gives the sign.
Verdict verdict(const TestResult& test, double level, bool larger_is_better);

struct FriedmanResult {
  std::vector<double> mean_ranks;                       // one per method; 1 is best
  double chi_square = 0, f_statistic = 0, p_value = 1;  // p of the F statistic (Iman-Davenport)
  std::size_t data_sets = 0, methods = 0;
};
// values: data sets x methods; ties share the mean rank (chi square is not corrected for them, as
// in Demsar, 2006). When all data sets agree on the ranking, F is infinite and p is 0. Error(Usage)
// below 2 methods or 2 sets, Error(Data) for NaN.
FriedmanResult friedman_test(const MatrixD& values, bool larger_is_better);

// How far apart two mean ranks must be to differ at `level`, for any number of methods: all pairs
// (Nemenyi) / one control against the others (Bonferroni-Dunn). Error(Usage) as above or unless
// 1e-100 <= level <= 0.999.
double nemenyi_difference(std::size_t methods, std::size_t data_sets, double level);
double bonferroni_dunn_difference(std::size_t methods, std::size_t data_sets, double level);

}  // namespace sieve
