#include <gtest/gtest.h>

#include "base/random.h"
#include "labelsieve/metrics.h"
#include "support/python_check.h"
#include "support/support.h"

namespace sieve {
namespace {

constexpr double kClose = 1e-12;

struct Case {
  std::string name;
  std::size_t rows, labels;
  double density;              // share of relevant labels
  std::size_t levels;          // scores take this many values; 0: any
  double empty = 0, full = 0;  // shares of such rows
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"random", 200, 10, 0.3, 0},
      {"wide", 60, 130, 0.05, 0},
      {"ties", 200, 12, 0.4, 4},
      {"constant", 50, 6, 0.4, 1},
      {"empty-rows", 150, 8, 0.3, 0, 0.3, 0},
      {"full-rows", 150, 8, 0.5, 5, 0, 0.3},
      {"both-and-ties", 150, 7, 0.4, 3, 0.2, 0.2},
      {"two-labels", 100, 2, 0.5, 3},
      {"rare", 40, 30, 0.02, 0},
  };
  return all;
}

struct Inputs {
  MatrixD scores;
  LabelMatrix truth, decisions, candidates;
};

// Scores are multiples of 2^-20, so that float and double hold the same numbers.
Inputs draw(const Case& c, std::uint64_t seed) {
  Inputs in{MatrixD(c.rows, c.labels), LabelMatrix(c.rows, c.labels), LabelMatrix(c.rows, c.labels),
            LabelMatrix(c.rows, c.labels)};
  Random random(seed, Purpose::Test);
  for (std::size_t i = 0; i < c.rows; ++i) {
    const double kind = random.uniform();
    const double density = kind < c.empty ? 0 : kind < c.empty + c.full ? 1 : c.density;
    for (std::size_t k = 0; k < c.labels; ++k) {
      in.truth.set(i, k, random.chance(density));
      const std::size_t level = random.below(c.levels == 0 ? 1U << 20 : c.levels);
      in.scores(i, k) = static_cast<double>(level) * 0x1p-20 + (in.truth.get(i, k) ? 0x1p-20 : 0);
      in.decisions.set(i, k, random.chance(c.density));
      in.candidates.set(i, k, in.truth.get(i, k) || random.chance(0.3));
    }
  }
  return in;
}

template <class T>
void compare(const std::map<std::string, double>& expected, const std::string& name,
             const Inputs& in) {
  BasicMatrix<T> scores(in.scores.rows(), in.scores.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k) scores(i, k) = static_cast<T>(in.scores(i, k));
  const auto expect = [&](const std::string& measure, const Measured& got) {
    EXPECT_NEAR(got.value, expected.at(name + "/" + measure), kClose) << name << " " << measure;
  };
  for (const auto degenerate : {DegenerateRows::Skip, DegenerateRows::Library}) {
    const std::string prefix = degenerate == DegenerateRows::Skip ? "skip-" : "library-";
    const MetricOptions o{.degenerate = degenerate};
    expect(prefix + "ranking-loss", ranking_loss(scores, in.truth, o));
    expect(prefix + "coverage", coverage(scores, in.truth, o));
    expect(prefix + "average-precision", average_precision(scores, in.truth, o));
  }
  const MetricOptions matlab{.ties = Ties::Matlab};
  expect("one-error", one_error(scores, in.truth));
  expect("skip-ranking-loss", ranking_loss(scores, in.truth, matlab));
  expect("matlab-coverage", coverage(scores, in.truth, matlab));
  expect("matlab-average-precision", average_precision(scores, in.truth, matlab));
  expect("macro-auc", macro_auc(scores, in.truth));
  expect("micro-auc", micro_auc(scores, in.truth));
  expect("hamming-loss", hamming_loss(in.decisions, in.truth));
  expect("exact-match", exact_match(in.decisions, in.truth));
  for (const int zero : {0, 1}) {
    const MetricOptions o{.zero_division = static_cast<double>(zero)};
    expect("micro-f1-" + std::to_string(zero), micro_f1(in.decisions, in.truth, o));
    expect("macro-f1-" + std::to_string(zero), macro_f1(in.decisions, in.truth, o));
    expect("sample-f1-" + std::to_string(zero), sample_f1(in.decisions, in.truth, o));
  }
  expect("cleaning-auc", cleaning_auc(scores, in.candidates, in.truth));
  expect("cleaning-average-precision", cleaning_average_precision(scores, in.candidates, in.truth));
}

TEST(SklearnParity, every_measure_agrees_to_twelve_digits) {
  REQUIRE_PYTHON();
  const test::TempFolder folder;
  std::vector<Inputs> inputs;
  for (const Case& c : cases()) {
    const Inputs& in = inputs.emplace_back(draw(c, inputs.size()));
    test::write_matrix(folder / (c.name + ".scores"), in.scores);
    test::write_matrix(folder / (c.name + ".truth"), in.truth);
    test::write_matrix(folder / (c.name + ".decisions"), in.decisions);
    test::write_matrix(folder / (c.name + ".candidates"), in.candidates);
  }
  const auto expected = test::run_python("metrics/sklearn_parity.py", folder.path());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    compare<double>(expected, cases()[i].name, inputs[i]);
    compare<float>(expected, cases()[i].name, inputs[i]);
  }
}

}  // namespace
}  // namespace sieve
