// Every method with its default options on three sets, one thread, one split (seed 1, 80/20):
// seconds of a fit and of scoring 1,000 rows, processor time first, elapsed time in brackets. The
// sets are real where LABELSIEVE_DATA names their folder, else made up in the same shapes.
// Usage: methods_bench [METHOD ...]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "clock.h"
#include "labelsieve/learner.h"
#include "labelsieve/prepare.h"
#include "paper_sets.h"

namespace {

constexpr int kScoringRounds = 5;

struct Shape {
  std::string set;
  std::size_t rows, features, labels;
};
const std::vector<Shape> kShapes = {
    {"yeast", 2417, 103, 14}, {"scene", 2407, 294, 6}, {"mirflickr", 5000, 100, 7}};

struct Seconds {
  double busy, elapsed;
};

template <class Work>
Seconds timed(const Work& work) {
  const Seconds start{busy_seconds(1), seconds_now()};
  work();
  return {busy_seconds(1) - start.busy, seconds_now() - start.elapsed};
}

sieve::Dataset load(const Shape& shape, const char* folder, sieve::ThreadPool& pool) {
  if (folder == nullptr)
    return make_synthetic({.rows = shape.rows, .features = shape.features, .labels = shape.labels},
                          pool);
  sieve::Dataset data = read_paper_set(folder, shape.set, pool);
  add_paper_noise(data, shape.set, 1);
  return data;
}

// Seconds of a fit, and of scoring 1,000 rows.
std::string measure(const sieve::MethodInfo& method, const sieve::Dataset& data,
                    sieve::ThreadPool& pool) {
  const sieve::Split split = sieve::split_random(data.rows(), 0.2, 1);
  sieve::TrainingData train = training_data(data).subset(split.train);
  if (method.oracle) train.candidates = data.truth->select_rows(split.train);
  const sieve::Dataset test = data.select_rows(split.test);
  sieve::FitOptions options;
  options.threads = &pool;
  std::unique_ptr<sieve::Model> model;
  const Seconds fit =
      timed([&] { model = method.make(sieve::Options(method.options))->fit(train, options); });
  double scoring = 1e9;
  for (int round = 0; round < kScoringRounds; ++round)
    scoring = std::min(scoring, timed([&] { model->scores(test.features, pool); }).busy);
  return fmt::format(" | {:8.3f} {:>10} {:8.4f}", fit.busy, fmt::format("({:.2f})", fit.elapsed),
                     scoring * 1000 / static_cast<double>(test.rows()));
}

void print_head(bool made_up) {
  fmt::print("{:12}", made_up ? "made up as" : "");
  for (const Shape& shape : kShapes) fmt::print(" | {:28}", shape.set);
  fmt::print("\n{:12}", "method");
  for (std::size_t i = 0; i < kShapes.size(); ++i)
    fmt::print(" | {:>8} {:>10} {:>8}", "fit", "(elapsed)", "1k rows");
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> chosen(argv + 1, argv + argc);
  const char* folder = std::getenv("LABELSIEVE_DATA");
  sieve::ThreadPool pool(1);
  std::vector<sieve::Dataset> sets;
  for (const Shape& shape : kShapes) sets.push_back(load(shape, folder, pool));
  print_head(folder == nullptr);
  for (const sieve::MethodInfo& method : sieve::all_methods()) {
    if (!chosen.empty() && std::ranges::find(chosen, method.name) == chosen.end()) continue;
    fmt::print("{:12}", method.name);
    for (const sieve::Dataset& data : sets) {
      fmt::print("{}", measure(method, data, pool));
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}
