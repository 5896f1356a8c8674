// PML-NI on a made set, one thread: writes scaled features, candidates and scores of the training
// rows to FOLDER as float64, row by row, and prints the seconds of fitting and scoring. Usage:
// pml_ni_bench FOLDER ROWS FEATURES LABELS
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "clock.h"
#include "labelsieve/learner.h"
#include "labelsieve/prepare.h"

namespace {

constexpr int kRounds = 3;  // the first warms up

template <class Cell>
void write(const std::string& path, std::size_t rows, std::size_t cols, const Cell& cell) {
  std::ofstream out(path, std::ios::binary);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      const double value = cell(i, j);
      out.write(reinterpret_cast<const char*>(&value), sizeof value);
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::string folder = argv[1];
  sieve::ThreadPool pool(1);
  sieve::Dataset data = sieve::make_synthetic(
      {.rows = std::stoul(argv[2]), .features = std::stoul(argv[3]), .labels = std::stoul(argv[4])},
      pool);
  fit_scaler(data.features, sieve::Scaling::MinMax).apply(data.features);
  const sieve::TrainingData train = training_data(data);
  const sieve::MethodInfo& method = sieve::method_info("pml-ni");
  sieve::Options options(method.options);
  options.set("scaling", "raw");
  options.set("threshold", "half");
  sieve::FitOptions fit;
  fit.threads = &pool;
  sieve::Matrix scores;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double start = busy_seconds(1);
    scores = method.make(options)->fit(train, fit)->scores(train.features, pool);
    best = std::min(best, busy_seconds(1) - start);
  }
  const sieve::Matrix& x = train.features.dense();
  write(folder + "/x", x.rows(), x.cols(), [&](std::size_t i, std::size_t j) { return x(i, j); });
  write(folder + "/y", x.rows(), data.labels(),
        [&](std::size_t i, std::size_t k) { return train.candidates.get(i, k) ? 1.0 : 0.0; });
  write(folder + "/f", x.rows(), data.labels(),
        [&](std::size_t i, std::size_t k) { return scores(i, k); });
  std::printf("%.6f\n", best);
}
