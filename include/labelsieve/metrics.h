#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/labels.h"
#include "labelsieve/matrix.h"

namespace sieve {

// How ties between scores and degenerate rows are treated.
//   Sklearn  index-independent: a tied label takes the worst rank of its group.
//   Matlab   the rules of the PML papers' MATLAB files: among ties the higher index ranks better.
enum class Ties { Sklearn, Matlab };

// What happens to rows whose truth is empty or full in the ranking measures.
//   Skip     they are left out and counted (default)
//   Library  as scikit-learn or as the MATLAB files do, according to `ties`:
//              ranking loss        Sklearn: 0                   Matlab: left out
//              one error           left out
//              coverage            empty: -1 / labels           full: the whole depth, as any row
//              average precision   Sklearn: 1                   Matlab: empty makes the whole
//                                                               value NaN, full is left out
enum class DegenerateRows { Skip, Library };

struct MetricOptions {
  Ties ties = Ties::Sklearn;
  DegenerateRows degenerate = DegenerateRows::Skip;
  double zero_division = 0;  // F1 of a label (or row) without any positive, true or predicted
};

// A value, and how many rows were used for it (labels for macro F1 and macro AUC, candidate cells
// for the cleaning measures). The value is NaN when none were.
struct Measured {
  double value = 0;
  std::size_t used = 0, skipped = 0;
};

// scores: rows x labels, larger = more relevant. truth, decisions: the same shape. Error(Data) when
// shapes differ or a score is NaN (with its row and label); infinite scores are fine. T is float or
// double. Cost: O(L log L) per row or less; nothing is allocated per row.
template <class T>
Measured ranking_loss(const BasicMatrix<T>& scores, const LabelMatrix& truth,
                      const MetricOptions& o = {});
template <class T>
Measured one_error(const BasicMatrix<T>& scores, const LabelMatrix& truth,
                   const MetricOptions& o = {});
// Depth to go down the ranking to meet all relevant labels, minus 1, divided by the number of
// labels. scikit-learn's coverage_error is the depth itself: coverage * labels + 1.
template <class T>
Measured coverage(const BasicMatrix<T>& scores, const LabelMatrix& truth,
                  const MetricOptions& o = {});
// Label ranking average precision, mean over rows.
template <class T>
Measured average_precision(const BasicMatrix<T>& scores, const LabelMatrix& truth,
                           const MetricOptions& o = {});
// Area under the ROC curve (Mann-Whitney, ties count half): mean over labels with both classes /
// pooled.
template <class T>
Measured macro_auc(const BasicMatrix<T>& scores, const LabelMatrix& truth);
template <class T>
Measured micro_auc(const BasicMatrix<T>& scores, const LabelMatrix& truth);
template <class T>
std::vector<double> label_auc(const BasicMatrix<T>& scores,
                              const LabelMatrix& truth);  // NaN where undefined

Measured hamming_loss(const LabelMatrix& decisions, const LabelMatrix& truth);
Measured exact_match(const LabelMatrix& decisions, const LabelMatrix& truth);
Measured micro_f1(const LabelMatrix& decisions, const LabelMatrix& truth,
                  const MetricOptions& o = {});
Measured macro_f1(const LabelMatrix& decisions, const LabelMatrix& truth,
                  const MetricOptions& o = {});
Measured sample_f1(const LabelMatrix& decisions, const LabelMatrix& truth,
                   const MetricOptions& o = {});

// Label cleaning: only the candidate cells, ranked by probability; a cell is positive if it is
// true.
template <class T>
Measured cleaning_auc(const BasicMatrix<T>& probabilities, const LabelMatrix& candidates,
                      const LabelMatrix& truth);
Measured cleaning_auc(const CandidateScores& probabilities, const LabelMatrix& candidates,
                      const LabelMatrix& truth);
// Average precision over the pooled cells (step-wise area under precision-recall, as scikit-learn's
// average_precision_score).
template <class T>
Measured cleaning_average_precision(const BasicMatrix<T>& probabilities,
                                    const LabelMatrix& candidates, const LabelMatrix& truth);
Measured cleaning_average_precision(const CandidateScores& probabilities,
                                    const LabelMatrix& candidates, const LabelMatrix& truth);

// Score >= threshold, compared in T (so a float 0.7f reaches the threshold 0.7). Error(Data) for a
// NaN score, Error(Usage) for a NaN threshold.
template <class T>
LabelMatrix decide_by_threshold(const BasicMatrix<T>& scores, double threshold);

// ---- the measures as a table --------------------------------------------------------------------

enum class Direction { LowerIsBetter, HigherIsBetter };
struct MetricInfo {
  std::string key;    // "ranking-loss", used in flags, JSON and plans
  std::string title;  // "Ranking loss"
  Direction better;
  std::string help;  // one line
};
// Every measure above, in the order reports show them.
const std::vector<MetricInfo>& all_metrics();

struct NamedMeasure {
  MetricInfo metric;
  Measured result;
};
// What there is to measure: evaluate(truth, {.scores = &scores, .decisions = &decisions}).
struct EvaluateRequest {
  const Matrix* scores = nullptr;
  const MatrixD* wide_scores = nullptr;  // in double precision, in the place of `scores`
  const LabelMatrix* decisions = nullptr;
  // Adds the cleaning measures: scores are then probabilities. Does nothing without scores.
  const LabelMatrix* candidates = nullptr;
  MetricOptions options{};
};
// All measures that the given parts allow. Error(Usage) for scores of both kinds.
std::vector<NamedMeasure> evaluate(const LabelMatrix& truth, const EvaluateRequest& request);

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
