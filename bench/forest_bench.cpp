// Fits a forest on numbers made up by forest.py and predicts further rows, one thread.
//
// usage: forest_bench folder rows test-rows features labels key=value ...
// The folder holds x and x-test (float32, row by row), y (bytes, 0 or 1). Scores go to scores.
// prints: processor seconds of the fit and of the prediction, and MB of memory beside the data
#include <fmt/core.h>

#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "labelsieve/error.h"
#include "labelsieve/learner.h"

namespace {

using namespace sieve;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// "VmRSS" now or "VmHWM" at most, in MB.
double memory(const std::string& which) {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (word == which + ":" && in >> word) return std::stod(word) / 1024;
  throw Error(Failure::Io, "/proc/self/status does not tell " + which);
}

Matrix read_rows(const std::string& path, std::size_t rows, std::size_t cols) {
  std::ifstream in(path, std::ios::binary);
  Matrix out(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    in.read(reinterpret_cast<char*>(out.row(i).data()),
            static_cast<std::streamsize>(cols * sizeof(float)));
  if (!in) throw Error(Failure::Io, "cannot read " + path);
  return out;
}

LabelMatrix read_labels(const std::string& path, std::size_t rows, std::size_t labels) {
  std::ifstream in(path, std::ios::binary);
  LabelMatrix out(rows, labels);
  std::vector<char> row(labels);
  for (std::size_t i = 0; i < rows; ++i) {
    in.read(row.data(), static_cast<std::streamsize>(labels));
    for (std::size_t k = 0; k < labels; ++k) out.set(i, k, row[k] != 0);
  }
  if (!in) throw Error(Failure::Io, "cannot read " + path);
  return out;
}

void run(const std::vector<std::string>& words) {
  const std::string folder = words.at(0) + "/";
  const std::size_t rows = std::stoul(words.at(1)), tested = std::stoul(words.at(2)),
                    features = std::stoul(words.at(3)), labels = std::stoul(words.at(4));
  const MethodInfo& method = method_info("forest");
  Options options(method.options);
  for (std::size_t w = 5; w < words.size(); ++w)
    options.set(words[w].substr(0, words[w].find('=')), words[w].substr(words[w].find('=') + 1));
  TrainingData data;
  data.features = read_rows(folder + "x", rows, features);
  data.candidates = read_labels(folder + "y", rows, labels);
  for (std::size_t k = 0; k < labels; ++k) data.label_names.push_back("l" + std::to_string(k));
  const Features test = read_rows(folder + "x-test", tested, features);
  const double before = memory("VmRSS"), start = processor_seconds();
  const std::unique_ptr<Model> model = method.make(options)->fit(data, {});
  const double fitted = processor_seconds();
  ThreadPool alone(1);
  const Matrix scores = model->scores(test, alone);
  const double predicted = processor_seconds();
  std::ofstream out(folder + "scores", std::ios::binary);
  for (std::size_t i = 0; i < tested; ++i)
    out.write(reinterpret_cast<const char*>(scores.row(i).data()),
              static_cast<std::streamsize>(labels * sizeof(float)));
  fmt::print("{:.4f} {:.4f} {:.1f}\n", fitted - start, predicted - fitted,
             memory("VmHWM") - before);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
