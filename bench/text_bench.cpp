// One measurement for bench/text.py, on one thread: seconds of processor time, the best of
// some runs.
//   text_bench text <jsonl> <terms>   text to features; reading the file is not counted (0: hashed)
//   text_bench read <path>            a .npy file, or JSON lines of vectors
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "data/formats.h"
#include "data/recipe/recipe.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"

namespace {

constexpr int kRuns = 3;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class Work>
void print_best(const Work& work) {
  double best = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    const double start = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - start);
  }
  std::printf("%.9f\n", best);
}

void print_text(const std::string& path, std::size_t terms) {
  sieve::ReadOptions options;
  options.labels.count = 0;
  options.table.text = {"text"};
  options.table.terms.terms = terms;
  const auto in = sieve::open_unpacked(*options.files, path);
  const sieve::RawSet set = sieve::read_jsonl_raw(*in, path, options);
  const sieve::RawTable& table = *set.table;
  print_best([&] {
    const auto recipe = std::make_shared<const sieve::FeatureRecipe>(
        sieve::learn_recipe(table, options.table, sieve::all_rows(table), nullptr));
    const sieve::RecipeUse use(recipe);
    use.features(table, use.places(table.names, table.columns(), path), nullptr, nullptr);
  });
}

void print_read(const std::string& path) {
  sieve::ReadOptions options;
  options.labels.count = 0;
  print_best([&] { sieve::read_dataset({path}, options); });
}

void run(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.empty() ? "" : arguments[0];
  if (mode == "text" && arguments.size() == 3)
    print_text(arguments[1], std::stoul(arguments[2]));
  else if (mode == "read" && arguments.size() == 2)
    print_read(arguments[1]);
  else
    throw sieve::Error(sieve::Failure::Usage, "see the top of text_bench.cpp");
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
