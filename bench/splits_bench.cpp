// Writes one split of a real data set under the paper's protocol as raw numbers, for races in other
// languages: x, y (candidates), x-test, truth, and in `shape` rows, test rows, features, labels.
// Usage: splits_bench FOLDER SET SEED OUT [NOISE], with the noise as add_noise() has it (fill)
#include <fstream>
#include <string>

#include "paper_sets.h"

namespace {

void put(const std::string& path, const sieve::Features& features) {
  std::ofstream out(path, std::ios::binary);
  std::vector<float> row(features.cols());
  for (std::size_t i = 0; i < features.rows(); ++i) {
    features.copy_row(i, row);
    out.write(reinterpret_cast<const char*>(row.data()),
              static_cast<std::streamsize>(row.size() * sizeof(float)));
  }
}

void put(const std::string& path, const sieve::LabelMatrix& labels) {
  std::ofstream out(path, std::ios::binary);
  for (std::size_t i = 0; i < labels.rows(); ++i)
    for (std::size_t k = 0; k < labels.labels(); ++k) out.put(labels.get(i, k) ? 1 : 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) return 2;
  sieve::ThreadPool pool;
  const std::uint64_t seed = std::stoull(argv[3]);
  const std::string out = std::string(argv[4]) + "/";
  sieve::Dataset data = read_paper_set(argv[1], argv[2], pool);
  const sieve::Split split = sieve::split_random(data.rows(), 0.2, seed);
  add_noise(data, argv[2], argc == 6 ? argv[5] : "fill", seed, pool);
  const sieve::Dataset train = data.select_rows(split.train), test = data.select_rows(split.test);
  put(out + "x", train.features);
  put(out + "y", train.candidates);
  put(out + "x-test", test.features);
  put(out + "truth", *test.truth);
  std::ofstream(out + "shape") << train.rows() << " " << test.rows() << " " << train.features.cols()
                               << " " << train.labels() << "\n";
}
