// The first stage of PARTICLE on a made set, one thread: writes features, candidates and propagated
// confidences to FOLDER as text and prints the seconds of the stage. Usage: particle_bench FOLDER
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "clock.h"
#include "labelsieve/prepare.h"
#include "methods/particle/confidences.h"

namespace {

constexpr int kRounds = 5;

template <class Cell>
void write(const std::string& path, std::size_t rows, std::size_t cols, const Cell& cell) {
  std::ofstream out(path);
  out.precision(17);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) out << cell(i, j) << (j + 1 < cols ? ' ' : '\n');
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  sieve::ThreadPool pool(1);
  sieve::Progress silent;
  const sieve::Dataset data =
      sieve::make_synthetic({.rows = 400, .features = 100, .labels = 12}, pool);
  sieve::Features x = data.features;
  fit_scaler(x, sieve::Scaling::MinMax).apply(x);
  const sieve::ScaledRows rows{std::move(x), std::vector<double>(data.features.cols())};
  sieve::MatrixD confidences;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double start = busy_seconds(1);
    const sieve::Mixture mixture = mix_neighbours(rows, 10, sieve::Self::Excluded, pool, silent);
    confidences = propagate(mixture, data.candidates, 0.95, pool);
    best = std::min(best, busy_seconds(1) - start);
  }
  const std::size_t labels = data.labels();
  write(folder + "/x.txt", rows.rows(), rows.x.cols(),
        [&](std::size_t i, std::size_t j) { return rows.x.dense()(i, j); });
  write(folder + "/y.txt", rows.rows(), labels,
        [&](std::size_t i, std::size_t k) { return data.candidates.get(i, k) ? 1 : 0; });
  write(folder + "/f.txt", rows.rows(), labels,
        [&](std::size_t i, std::size_t k) { return confidences(i, k); });
  std::printf("%.6f\n", best);
}
