// One measurement for bench/reading.py:
//   reading_bench time <label count or -> <file>...   seconds of the best of some reads
//   reading_bench peak <label count or -> <file>...   peak memory and matrix size in kB; no file:
//   base reading_bench convert <from>... <to>              any format into any other
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace {

constexpr int kReads = 5;

sieve::Dataset read(const std::vector<std::string>& paths, const std::string& labels) {
  sieve::ThreadPool pool;
  sieve::ReadOptions options;
  options.threads = &pool;
  if (labels != "-") options.labels.count = std::stol(labels);
  return sieve::read_dataset(paths, options);
}

void print_time(const std::vector<std::string>& paths, const std::string& labels) {
  double best = 1e9;
  for (int i = 0; i < kReads; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const sieve::Dataset data = read(paths, labels);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  std::printf("%.9f\n", best);
}

long peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:" && status >> word) return std::stol(word);
  return 0;
}

void print_peak(const std::vector<std::string>& paths, const std::string& labels) {
  std::size_t matrix = 0;
  if (!paths.empty()) {
    const sieve::Dataset data = read(paths, labels);
    const std::size_t words = data.candidates.rows() * data.candidates.words_per_row();
    matrix = data.features.bytes() + words * sizeof(std::uint64_t) * (data.truth ? 2 : 1);
  }
  std::printf("%ld %zu\n", peak_kilobytes(), matrix / 1024);
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return 2;
  const std::string& mode = arguments[0];
  if (mode == "convert") {
    const std::vector<std::string> from(arguments.begin() + 1, arguments.end() - 1);
    sieve::write_dataset(read(from, "-"), arguments.back());
    return 0;
  }
  const std::vector<std::string> paths(arguments.begin() + 2, arguments.end());
  mode == "time" ? print_time(paths, arguments[1]) : print_peak(paths, arguments[1]);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run({arguments + 1, arguments + count});
  } catch (const sieve::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
}
