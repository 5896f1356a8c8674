// One measurement for bench/reading.py:
//   reading_bench time <path>        seconds, the best of some reads
//   reading_bench cost <path> <threads>
//                                    seconds by the clock and of the processor, the better of two
//   reading_bench peak [<path>]      peak memory and size of the matrix in kB; no path: the base
//   reading_bench convert <from>... <to>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace {

constexpr int kReads = 5;

sieve::Dataset read(const std::string& path, std::size_t threads = 0) {
  sieve::ThreadPool pool(threads);
  sieve::ReadOptions options;
  options.threads = &pool;
  return sieve::read_dataset({path}, options);
}

void print_time(const std::string& path) {
  double best = 1e9;
  for (int i = 0; i < kReads; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const sieve::Dataset data = read(path);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  std::printf("%.9f\n", best);
}

void print_cost(const std::string& path, std::size_t threads) {
  double clock = 1e9, processor = 1e9;
  for (int i = 0; i < 2; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t used = std::clock();
    const sieve::Dataset data = read(path, threads);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    clock = std::min(clock, took.count());
    processor =
        std::min(processor, static_cast<double>(std::clock() - used) / double{CLOCKS_PER_SEC});
  }
  std::printf("%.9f %.9f\n", clock, processor);
}

long peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:" && status >> word) return std::stol(word);
  return 0;
}

void print_peak(const std::string& path) {
  std::size_t matrix = 0;
  if (!path.empty()) {
    const sieve::Dataset data = read(path);
    const std::size_t words = data.candidates.rows() * data.candidates.words_per_row();
    matrix = data.features.bytes() + words * sizeof(std::uint64_t) * (data.truth ? 2 : 1);
  }
  std::printf("%ld %zu\n", peak_kilobytes(), matrix / 1024);
}

void run(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.empty() ? "" : arguments[0];
  if (mode == "time" && arguments.size() == 2)
    print_time(arguments[1]);
  else if (mode == "cost" && arguments.size() == 3)
    print_cost(arguments[1], std::stoul(arguments[2]));
  else if (mode == "peak" && arguments.size() <= 2)
    print_peak(arguments.size() == 2 ? arguments[1] : "");
  else if (mode == "convert" && arguments.size() == 3)
    sieve::write_dataset(read(arguments[1]), arguments[2]);
  else
    throw sieve::Error(sieve::Failure::Usage, "see the top of reading_bench.cpp");
}

}  // namespace

int main(int count, char** arguments) {
  try {
    run({arguments + 1, arguments + count});
    return 0;
  } catch (const sieve::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
}
