// Trains and measures methods on real data sets under the paper's protocol and prints one line a
// run: set, method, seed, Hamming loss, ranking loss, one error, average precision, ROC-AUC of
// label cleaning on the training rows, seconds of the processor, what was chosen, mean error of the
// labels' rates of noise, micro F1, macro AUC, the sum of all probabilities as a share of the
// labels that are right, and of a blend the average precision of each of its parts.
//
// Usage: accuracy_bench FOLDER SETS METHODS FIRST_SEED LAST_SEED [key=value ...]
// With flip-to=R noise labels come at a rate for each label, drawn between 0 and R, instead; with
// noise=KIND as add_noise() has them. A set's name can cut it down (CutSet); keep-features=F and
// keep-rows=N do so as well. With annotated=S only that share of the training rows has labels; the
// others are left out, or, with unlabelled=1, learnt from without labels.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "clock.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "methods/blend/blend_model.h"
#include "paper_sets.h"

namespace {

using sieve::Dataset;

std::vector<std::string> cut(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

// How far the rates of a model are from how often labels are candidates without being right.
double rate_error(const sieve::ModelState& state, const sieve::LabelMatrix& candidates,
                  const sieve::LabelMatrix& truth) {
  const std::vector<float>& rates = state.tensor("noise_rate").values;
  double sum = 0;
  for (std::size_t k = 0; k < rates.size(); ++k) {
    double wrong = 0, ticked = 0;
    for (std::size_t i = 0; i < truth.rows(); ++i) {
      if (truth.get(i, k)) continue;
      wrong += 1;
      ticked += candidates.get(i, k) ? 1 : 0;
    }
    sum += std::abs(double{rates[k]} - (wrong > 0 ? ticked / wrong : 0));
  }
  return sum / static_cast<double>(rates.size());
}

double sum_of(const sieve::Matrix& numbers) {
  double sum = 0;
  for (std::size_t i = 0; i < numbers.rows(); ++i)
    for (const float number : numbers.row(i)) sum += double{number};
  return sum;
}

// " parts=0.741,0.756,0.752" for a blend, in the order of its weights, else "".
std::string parts_of(const sieve::Model& model, const Dataset& test, sieve::ThreadPool& pool) {
  const auto* blend = dynamic_cast<const sieve::BlendModel*>(&model);
  std::string text;
  if (blend == nullptr) return text;
  for (const auto& part : blend->parts()) {
    const sieve::Matrix scores = part->scores(test.features, pool);
    text += (text.empty() ? " parts=" : ",") +
            fmt::format("{:.4f}", sieve::average_precision(scores, *test.truth).value);
  }
  return text;
}

// The rows whose labels a method is given: all, or a random share of them.
std::vector<std::size_t> annotated_rows(std::vector<std::size_t> rows, double share,
                                        std::uint64_t seed) {
  if (share >= 1) return rows;
  std::vector<std::size_t> some;
  for (const std::size_t i : sieve::split_random(rows.size(), share, seed + 1000).test)
    some.push_back(rows[i]);
  return some;
}

// The others.
std::vector<std::size_t> without(std::vector<std::size_t> rows, std::vector<std::size_t> some) {
  std::vector<std::size_t> others;
  std::ranges::sort(rows);
  std::ranges::sort(some);
  std::ranges::set_difference(rows, some, std::back_inserter(others));
  return others;
}

// The number after `key`= among the settings, or 0.
std::size_t count_of(const std::string& key, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings)
    if (setting.starts_with(key + "=")) return std::stoul(setting.substr(key.size() + 1));
  return 0;
}

void run(const Dataset& whole, const std::string& set, const std::string& method,
         std::uint64_t seed, const std::vector<std::string>& settings) {
  Dataset data = whole.clone();
  const sieve::Split split = sieve::split_random(data.rows(), 0.2, seed);
  const sieve::MethodInfo& info = sieve::method_info(method);
  sieve::Options options(info.options);
  std::string noise = "fill";
  bool flips = false, unlabelled = false;
  double annotated = 1;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    const std::string key = setting.substr(0, equals), value = setting.substr(equals + 1);
    if (key.starts_with("keep-")) continue;
    if (key == "noise") {
      noise = value;
      continue;
    }
    if (key == "annotated") {
      annotated = std::stod(value);
      continue;
    }
    if (key == "unlabelled") {
      unlabelled = value != "0";
      continue;
    }
    if (key != "flip-to") {
      options.set(key, value);
      continue;
    }
    flips = true;
    sieve::noise_flip(data, sieve::draw_flip_rates(data.labels(), 0, std::stod(value), seed), seed);
  }
  sieve::ThreadPool pool(1);
  if (!flips) add_noise(data, set, noise, seed, pool);
  if (info.oracle) data.candidates = data.truth->clone();
  const std::vector<std::size_t> learn = annotated_rows(split.train, annotated, seed);
  sieve::TrainingData train = sieve::training_data(data).subset(learn);
  if (unlabelled)
    train.unlabelled =
        std::make_shared<const sieve::Features>(data.features.subset(without(split.train, learn)));
  const Dataset test = data.select_rows(split.test);
  sieve::FitOptions fit;
  fit.seed = seed;
  fit.threads = &pool;
  const double start = busy_seconds(1);
  const auto model = info.make(options)->fit(train, fit);
  const double seconds = busy_seconds(1) - start;
  const sieve::Matrix scores = model->scores(test.features, pool);
  const sieve::LabelMatrix decided = model->decide(scores);
  const sieve::Matrix probabilities = model->candidate_probabilities(train, pool);
  const sieve::LabelMatrix train_truth = data.truth->select_rows(learn);
  const auto note = [&](const char* name) {
    const auto found = model->state().notes.find(name);
    return found == model->state().notes.end() ? "-" : found->second.c_str();
  };
  const bool has_rates = std::ranges::any_of(
      model->state().tensors, [](const auto& tensor) { return tensor.name == "noise_rate"; });
  std::printf(
      "%s %s %llu %.4f %.4f %.4f %.4f %.4f %.2f depth=%s noise=%s share=%s rates=%.4f "
      "f1=%.4f auc=%.4f sum=%.3f%s\n",
      set.c_str(), method.c_str(), static_cast<unsigned long long>(seed),
      sieve::hamming_loss(decided, *test.truth).value,
      sieve::ranking_loss(scores, *test.truth).value, sieve::one_error(scores, *test.truth).value,
      sieve::average_precision(scores, *test.truth).value,
      sieve::cleaning_auc(probabilities, train.candidates, train_truth).value, seconds,
      note("depth"), note("noise_share"), note("share"),
      has_rates ? rate_error(model->state(), train.candidates, train_truth) : NAN,
      sieve::micro_f1(decided, *test.truth).value, sieve::macro_auc(scores, *test.truth).value,
      sum_of(model->probabilities(scores.clone())) / static_cast<double>(test.truth->count()),
      parts_of(*model, test, pool).c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  sieve::ThreadPool pool;
  for (const std::string& set : cut(argv[2], ',')) {
    const std::vector<std::string> settings(argv + 6, argv + argc);
    const Dataset data =
        cut_down(read_paper_set(argv[1], set, pool), count_of("keep-features", settings),
                 count_of("keep-rows", settings));
    for (std::uint64_t seed = std::stoull(argv[4]); seed <= std::stoull(argv[5]); ++seed)
      for (const std::string& method : cut(argv[3], ',')) run(data, set, method, seed, settings);
  }
}
