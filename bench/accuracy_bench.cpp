// Trains and measures methods on real data sets under the paper's protocol and prints one line a
// run: set, method, seed, Hamming loss, ranking loss, one error, average precision, ROC-AUC of
// label cleaning on the training rows, seconds. Usage: accuracy_bench FOLDER SETS METHODS
// FIRST_SEED LAST_SEED [key=value ...]
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "paper_sets.h"

namespace {

using sieve::Dataset;

std::vector<std::string> cut(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

void run(const Dataset& whole, const std::string& set, const std::string& method,
         std::uint64_t seed, const std::vector<std::string>& settings) {
  Dataset data = whole.clone();
  const sieve::Split split = sieve::split_random(data.rows(), 0.2, seed);
  add_paper_noise(data, set, seed);
  const sieve::MethodInfo& info = sieve::method_info(method);
  sieve::Options options(info.options);
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    options.set(setting.substr(0, equals), setting.substr(equals + 1));
  }
  if (info.oracle) data.candidates = data.truth->clone();
  const sieve::TrainingData train = sieve::training_data(data).subset(split.train);
  const Dataset test = data.select_rows(split.test);
  sieve::ThreadPool pool(1);
  sieve::FitOptions fit;
  fit.seed = seed;
  fit.threads = &pool;
  const auto start = std::chrono::steady_clock::now();
  const auto model = info.make(options)->fit(train, fit);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const sieve::Matrix scores = model->scores(test.features, pool);
  const sieve::Matrix confidence = model->confidence(train, pool);
  const sieve::LabelMatrix train_truth = data.truth->select_rows(split.train);
  const auto note = [&](const char* name) {
    const auto found = model->state().notes.find(name);
    return found == model->state().notes.end() ? "-" : found->second.c_str();
  };
  std::printf("%s %s %llu %.4f %.4f %.4f %.4f %.4f %.1f depth=%s noise=%s share=%s\n", set.c_str(),
              method.c_str(), static_cast<unsigned long long>(seed),
              sieve::hamming_loss(model->decide(scores), *test.truth).value,
              sieve::ranking_loss(scores, *test.truth).value,
              sieve::one_error(scores, *test.truth).value,
              sieve::average_precision(scores, *test.truth).value,
              sieve::cleaning_auc(confidence, train.candidates, train_truth).value, seconds,
              note("depth"), note("noise_share"), note("share"));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  sieve::ThreadPool pool;
  for (const std::string& set : cut(argv[2], ',')) {
    const Dataset data = read_paper_set(argv[1], set, pool);
    for (std::uint64_t seed = std::stoull(argv[4]); seed <= std::stoull(argv[5]); ++seed)
      for (const std::string& method : cut(argv[3], ','))
        run(data, set, method, seed, {argv + 6, argv + argc});
  }
}
