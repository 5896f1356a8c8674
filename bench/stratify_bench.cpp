// Iterative stratification: speed-up over the textbook form, evenness, and growth of the time.
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <limits>

#include "../tests/support/stratify_reference.h"
#include "labelsieve/prepare.h"

namespace {

using namespace sieve::test;
using sieve::LabelMatrix;

constexpr std::size_t kFolds = 10;

// Processor time, the best of some runs: other work on the machine counts little.
template <class Call>
double seconds(Call&& call, int repeats) {
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < repeats; ++r) {
    const std::clock_t start = std::clock();
    call();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

double time_of(const LabelMatrix& labels) {
  return seconds([&] { sieve::folds_stratified(labels, kFolds, 1); }, 7);
}

std::string percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

// Deviations are the largest over labels with 100+ rows; "avoidable" leaves out counts less than
// one row from their ideal.
void compare() {
  fmt::print("100,000 rows x 100 labels, {} folds; deviations of label shares from the whole\n\n",
             kFolds);
  fmt::print("{:8} {:>10} {:>10} {:>8} {:>8}  {:>9} {:>9} {:>9}  {:>9} {:>12}\n", "labels", "set",
             "textbook", "ours", "ratio", "absolute", "relative", "avoidable", "textbook", "sizes");
  for (const std::string_view pattern : kLabelPatterns) {
    const LabelMatrix labels = make_labels(pattern, 100000, 100, 1);
    Folds theirs;
    const double textbook = seconds([&] { theirs = stratify_textbook(labels, kFolds, 1); }, 1);
    const double ours = time_of(labels);
    const StratifyQuality quality = measure(labels, sieve::folds_stratified(labels, kFolds, 1));
    fmt::print("{:8} {:>10} {:>8.0f}ms {:>6.1f}ms {:>7.0f}x  {:>9} {:>9} {:>9}  {:>9} {:>6}-{}\n",
               pattern, labels.count(), 1e3 * textbook, 1e3 * ours, textbook / ours,
               percent(quality.absolute), percent(quality.relative), percent(quality.avoidable),
               percent(measure(labels, theirs).relative), quality.smallest, quality.largest);
  }
}

// Fits time = c * set^exponent over sizes by least squares on the logarithms.
void growth(const char* what, const std::vector<LabelMatrix>& sizes) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  fmt::print("\n{}\n", what);
  for (const LabelMatrix& labels : sizes) {
    const double set = static_cast<double>(labels.count()), time = time_of(labels);
    fmt::print("{:>8} x {:<5} {:>9.0f} set {:>8.1f} ms {:>6.0f} ns a label set\n", labels.rows(),
               labels.labels(), set, 1e3 * time, 1e9 * time / set);
    const double u = std::log(set), v = std::log(time);
    n += 1, x += u, y += v, xx += u * u, xy += u * v;
  }
  fmt::print("time grows as (labels set)^{:.2f}\n", (n * xy - x * y) / (n * xx - x * x));
}

}  // namespace

int main() {
  compare();
  std::vector<LabelMatrix> by_rows, by_labels;
  for (const std::size_t rows : {25000U, 50000U, 100000U, 200000U, 400000U})
    by_rows.push_back(make_labels("even", rows, 100, 1));
  for (const std::size_t labels : {50U, 100U, 200U, 400U, 800U})
    by_labels.push_back(make_labels("even", 50000, labels, 1));
  growth("more rows", by_rows);
  growth("more labels", by_labels);
}
