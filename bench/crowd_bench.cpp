// The model of a crowd on numbers made up by crowd.py, or on a crowd of its own for the time.
//
// usage: crowd_bench fit|union folder rows annotators labels
//        crowd_bench scores data method folder [key=value ...] [seed=number]
//        crowd_bench speed rows annotators labels looks-per-row threads
//
// The folder of fit holds row and annotator (uint32, one per annotation), votes (bytes, annotations
// x labels: 0, 1 or a higher grade), perhaps scores (float32, rows x labels), groups (uint32, one
// per annotator) and gold.0, gold.1, ... (uint32: row, label, 0 or 1, ...). Results are
// probability, and probability.0, ... with that gold (float32, rows x labels), rates (float64:
// sensitivity, false ticks of each annotator and label, each with low and high), noise (float64:
// value, low and high of each label) and annotators (float64: sensitivity and false ticks, each
// with low and high, agreement, guesses). It prints the error and the log-likelihood of held-out
// votes. union reads candidates (bytes, rows x labels) and scores, perhaps missing (float64).
// scores writes what a method says of the rows of a data set that it has not seen, as
// probabilities, and how sure it is of their candidates (confidence); where the folder holds
// beliefs (float32, rows x labels), it learns from these. speed prints seconds per round of
// expectation and maximisation, all seconds, and MB of memory.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "clock.h"
#include "labelsieve/crowd.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/learner.h"
#include "labelsieve/prepare.h"

namespace {

using namespace sieve;

template <class T>
std::vector<T> read_all(const std::string& path) {
  std::vector<T> out(std::filesystem::file_size(path) / sizeof(T));
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(out.data()),
          static_cast<std::streamsize>(out.size() * sizeof(T)));
  if (!in) throw Error(Failure::Io, "cannot read " + path);
  return out;
}

template <class T>
void write_all(const std::string& path, const std::vector<T>& values) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
}

Matrix read_matrix(const std::string& path, std::size_t rows, std::size_t cols) {
  const std::vector<float> values = read_all<float>(path);
  Matrix out(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) out(i, j) = values[i * cols + j];
  return out;
}

std::vector<GoldCell> read_gold(const std::string& path) {
  std::vector<GoldCell> gold;
  const std::vector<std::uint32_t> numbers = read_all<std::uint32_t>(path);
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
    gold.push_back({numbers[i], numbers[i + 1], numbers[i + 2] != 0});
  return gold;
}

void append(std::vector<double>& to, const Estimate& estimate) {
  to.insert(to.end(), {estimate.value, estimate.low, estimate.high});
}

template <class Row>
void write_probabilities(const std::string& path, std::size_t rows, std::size_t labels, Row&& row) {
  std::vector<float> all(rows * labels), one(labels);
  for (std::size_t i = 0; i < rows; ++i) {
    row(i, std::span<float>(one));
    std::copy(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(i * labels));
  }
  write_all(path, all);
}

void fit(const std::string& folder, std::size_t rows, std::size_t annotators, std::size_t labels) {
  const auto row = read_all<std::uint32_t>(folder + "row");
  const auto annotator = read_all<std::uint32_t>(folder + "person");
  const auto ticked = read_all<char>(folder + "votes");
  VoteCollector said;
  for (std::size_t k = 0; k < row.size(); ++k) {
    said.annotate(row[k], annotator[k]);
    for (std::size_t l = 0; l < labels; ++l)
      if (ticked[k * labels + l] != 0)
        said.tick(row[k], annotator[k], static_cast<std::uint32_t>(l),
                  static_cast<std::uint8_t>(ticked[k * labels + l] - 1));
  }
  const Votes votes = said.finish(rows, std::vector<std::string>(annotators));
  Matrix scores;
  CrowdView view{&votes, labels, nullptr};
  if (std::filesystem::exists(folder + "scores")) {
    scores = read_matrix(folder + "scores", rows, labels);
    view.scores = &scores;
  }
  ThreadPool pool;
  CrowdOptions options;
  if (std::filesystem::exists(folder + "groups"))
    options.groups = read_all<std::uint32_t>(folder + "groups");
  CrowdModel model = fit_crowd(view, pool, options);
  const HeldOutCheck check = check_by_held_out_annotators(model, view, pool);
  const auto write = [&](const std::string& name) {
    write_probabilities(folder + name, rows, labels, [&](std::size_t i, std::span<float> into) {
      model.probabilities(view, i, into);
    });
  };
  write("posterior");
  const Matrix strengths = crowd_strengths(model, view, pool);
  write_probabilities(folder + "strength", rows, labels, [&](std::size_t i, std::span<float> into) {
    std::ranges::copy(strengths.row(i), into.begin());
  });
  std::vector<double> rates, noise, quality;
  for (std::size_t a = 0; a < annotators; ++a)
    for (std::size_t l = 0; l < labels; ++l) {
      append(rates, model.sensitivity(a, l));
      append(rates, model.false_positive_rate(a, l));
    }
  for (const LabelQuality& label : label_qualities(model, view, pool)) append(noise, label.noise);
  for (const AnnotatorQuality& one : annotator_qualities(model, view, pool)) {
    append(quality, one.sensitivity);
    append(quality, one.false_positive_rate);
    quality.insert(quality.end(), {one.agreement, one.guesses ? 1.0 : 0.0});
  }
  write_all(folder + "rates", rates);
  write_all(folder + "noise", noise);
  write_all(folder + "people", quality);
  for (std::size_t draw = 0; std::filesystem::exists(folder + fmt::format("gold.{}", draw));
       ++draw) {
    model = with_gold(std::move(model), view, read_gold(folder + fmt::format("gold.{}", draw)));
    write(fmt::format("posterior.{}", draw));
  }
  fmt::print("{:.5f} {:.5f}", check.error, check.log_likelihood);
  for (std::size_t l = 0; l < labels; ++l)
    fmt::print(" | {:.1f} {:.2f} {:.2f}", model.weights(l).gain, model.weights(l).coins,
               model.weights(l).strength);
  for (const AlikePair& pair : model.alike())
    fmt::print(" & {} {} {:.3f}", pair.a, pair.b, pair.correlation);
  fmt::print("\n");
}

void fit_from_union(const std::string& folder, std::size_t rows, std::size_t labels) {
  const auto ticked = read_all<char>(folder + "candidates");
  LabelMatrix candidates(rows, labels);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t l = 0; l < labels; ++l) candidates.set(i, l, ticked[i * labels + l] != 0);
  const Matrix scores = read_matrix(folder + "scores", rows, labels);
  UnionOptions options;
  if (std::filesystem::exists(folder + "missing"))
    options.missing = read_all<double>(folder + "missing").at(0);
  ThreadPool pool;
  const auto fit_with = [&](std::span<const GoldCell> gold, const std::string& draw) {
    const UnionModel model = fit_union(candidates, scores, pool, options, gold);
    write_probabilities(folder + "posterior" + draw, rows, labels,
                        [&](std::size_t i, std::span<float> into) {
                          model.probabilities(candidates, scores, i, into);
                        });
    std::vector<double> noise;
    for (const UnionLabel& label : model.labels) append(noise, label.noise);
    write_all(folder + "noise" + draw, noise);
  };
  fit_with({}, "");
  for (std::size_t k = 0; std::filesystem::exists(folder + fmt::format("gold.{}", k)); ++k)
    fit_with(read_gold(folder + fmt::format("gold.{}", k)), fmt::format(".{}", k));
}

void scores(const std::string& path, const std::string& name, const std::string& folder,
            const std::vector<std::string>& settings) {
  const Dataset data = read_dataset({path});
  const MethodInfo& method = method_info(name);
  Options options(method.options);
  FitOptions fit;
  for (const std::string& word : settings) {
    const std::string key = word.substr(0, word.find('=')), value = word.substr(key.size() + 1);
    if (key == "seed")
      fit.seed = std::stoull(value);
    else
      options.set(key, value);
  }
  ThreadPool pool;
  fit.threads = &pool;
  TrainingData rows = training_data(data);
  if (std::filesystem::exists(folder + "/beliefs"))
    rows = with_probabilities(rows, read_matrix(folder + "/beliefs", data.rows(), data.labels()));
  const OutOfFold found = method.make(options)->fit_out_of_fold(rows, 5, fit);
  write_probabilities(folder + "/scores", data.rows(), data.labels(),
                      [&](std::size_t i, std::span<float> into) {
                        std::ranges::copy(found.scores.row(i), into.begin());
                      });
  write_probabilities(folder + "/confidence", data.rows(), data.labels(),
                      [&](std::size_t i, std::span<float> into) {
                        for (std::size_t l = 0; l < into.size(); ++l)
                          into[l] = found.probabilities(i, l);
                      });
}

// "VmHWM", the most there was, in MB.
double memory() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (word == "VmHWM:" && in >> word) return std::stod(word) / 1024;
  return 0;
}

Votes made_up(std::size_t rows, std::size_t annotators, std::size_t labels,
              std::size_t annotations) {
  VoteCollector said;
  for (std::size_t row = 0; row < rows; ++row) {
    Random random(1, Purpose::Test, 0, row);
    const std::size_t truth = random.below(labels), other = random.below(labels);
    for (std::size_t k = 0; k < annotations; ++k) {
      // An annotator every annotators / looks, so that nobody looks twice.
      const auto annotator = static_cast<std::uint32_t>(k * (annotators / annotations) +
                                                        random.below(annotators / annotations));
      said.annotate(static_cast<std::uint32_t>(row), annotator);
      for (const std::size_t l : {truth, other, random.below(labels)})
        if (random.chance(l == truth ? 0.8 : 0.2))
          said.tick(static_cast<std::uint32_t>(row), annotator, static_cast<std::uint32_t>(l));
    }
  }
  return said.finish(rows, std::vector<std::string>(annotators));
}

void speed(std::size_t rows, std::size_t annotators, std::size_t labels, std::size_t annotations,
           std::size_t threads) {
  const Votes votes = made_up(rows, annotators, labels, annotations);
  const CrowdView view{&votes, labels, nullptr};
  const double before = memory();
  ThreadPool pool(threads);
  // Processor time and time by the clock.
  const auto seconds = [&](std::size_t rounds) {
    const double busy = seconds_of(CLOCK_PROCESS_CPUTIME_ID), start = seconds_now();
    fit_crowd(view, pool, {.rounds = rounds, .other_labels = false});
    return std::pair(seconds_of(CLOCK_PROCESS_CPUTIME_ID) - busy, seconds_now() - start);
  };
  const auto few = seconds(1), more = seconds(4);
  fmt::print(
      "per round {:.3f} s of processor time, {:.3f} s by the clock; the rest {:.2f} s, {:.2f} s; "
      "{:.0f} MB ({:.0f} before)\n",
      (more.first - few.first) / 3, (more.second - few.second) / 3,
      few.first - (more.first - few.first) / 3, few.second - (more.second - few.second) / 3,
      memory(), before);
}

void run(const std::vector<std::string>& words) {
  const auto number = [&](std::size_t at) { return std::stoul(words.at(at)); };
  const std::string what = words.at(0);
  if (what == "speed") return speed(number(1), number(2), number(3), number(4), number(5));
  if (what == "scores")
    return scores(words.at(1), words.at(2), words.at(3), {words.begin() + 4, words.end()});
  const std::string folder = words.at(1) + "/";
  if (what == "union") return fit_from_union(folder, number(2), number(4));
  fit(folder, number(2), number(3), number(4));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
