#include "experiment/task.h"

#include <chrono>
#include <new>

#include "experiment/fingerprints.h"
#include "experiment/grid_messages.h"
#include "labelsieve/error.h"
#include "labelsieve/metrics.h"
#include "labelsieve/prepare.h"
#include "labelsieve/threads.h"

namespace sieve {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Fingerprints, data, method)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Result, status, reason, measures, seconds, fit_seconds,
                                   candidates, peak_bytes, train_rows, test_rows, features, labels,
                                   processor, fingerprints)

std::string pack_outcome(const Result& result) {
  return pack(result);
}

bool unpack_outcome(const std::string& bytes, Result& result) {
  return unpack(bytes, result);
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::map<std::string, std::string> settings_of(const Task& task) {
  std::map<std::string, std::string> settings;
  for (const std::string& setting : cut_at_commas(task.options)) {
    const std::size_t equals = setting.find('=');
    settings[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return settings;
}

double mean_count(const LabelMatrix& labels) {
  return static_cast<double>(labels.count()) / static_cast<double>(labels.rows());
}

TrainRequest request_of(const Task& task, const PlannedLearner& planned, ThreadPool& pool) {
  TrainRequest request{
      .method = planned.method, .settings = settings_of(task), .learn_from = LearnFrom::Union};
  if (planned.votes != nullptr) {
    request.learn_from = planned.votes->learn_from;
    request.aggregation = planned.votes->aggregation;
  }
  request.fit.seed = task.seed;
  request.fit.threads = &pool;
  return request;
}

void measure(const Model& model, const TrainingData& ticked, const LabelMatrix& train_truth,
             const Dataset& test, ThreadPool& pool, Result& result) {
  const Matrix scores = model.scores(test.features, pool);
  const LabelMatrix decisions = model.decide(scores);
  for (const auto& [metric, measured] :
       evaluate(*test.truth, {.scores = &scores, .decisions = &decisions}))
    result.measures.emplace_back(metric.key, measured.value);
  const Matrix probabilities = model.candidate_probabilities(ticked, pool);
  result.measures.emplace_back("cleaning-auc",
                               cleaning_auc(probabilities, ticked.candidates, train_truth).value);
  result.measures.emplace_back(
      "cleaning-average-precision",
      cleaning_average_precision(probabilities, ticked.candidates, train_truth).value);
}

// Any `folds` seeds in a row test every row once.
Split split_of(const Task& task, std::size_t rows) {
  if (task.folds == 0) return split_random(rows, task.test_share, task.seed);
  return split_of_fold(folds_random(rows, task.folds, 0), task.seed % task.folds);
}

void fit_and_measure(const Task& task, const Dataset& whole, Result& result) {
  const PlannedLearner planned = parse_learner(task.learner);
  const MethodInfo& method = method_info(planned.method);
  ThreadPool pool(1);
  const Split split = split_of(task, whole.rows());
  const std::optional<NoiseVariant> noise = parse_noise(task.noise);
  if (!noise) throw Error(Failure::Usage, "there is no noise '" + task.noise + "'");
  Dataset noisy = noisy_rows(whole, split.train, *noise, task.seed, pool);
  result.candidates = mean_count(noisy.candidates);
  const Dataset test = whole.select_rows(split.test);
  result.train_rows = noisy.rows();
  result.test_rows = test.rows();
  result.features = noisy.features.cols();
  result.labels = noisy.labels();
  if (planned.votes != nullptr && !noisy.votes)
    throw Error(Failure::Usage, "it is not known who ticked what");
  const Clock::time_point start = Clock::now();
  const Trained trained = train(noisy, request_of(task, planned, pool));
  result.fit_seconds = seconds_since(start);
  if (method.oracle) noisy.candidates = noisy.truth->clone();  // as it was given them
  measure(*trained.model, training_data(noisy), *noisy.truth, test, pool, result);
}

}  // namespace

Result measure_task(const Task& task, const Dataset& data) {
  const Clock::time_point start = Clock::now();
  Result result;
  result.task = task;
  const auto fail = [&](const std::string& reason) {
    result.status = Result::Status::Failed;
    result.reason = reason;
    result.measures.clear();
  };
  try {
    fit_and_measure(task, data, result);
  } catch (const OverMemory& error) {
    fail(error.what());
  } catch (const std::bad_alloc&) {
    fail("not enough memory");
  } catch (const std::exception& error) {
    fail(error.what());
  }
  result.seconds = seconds_since(start);
  return result;
}

Result run_task(const Task& task, const Dataset& data) {
  Result result = measure_task(task, data);
  result.processor = processor_name();
  if (result.done()) result.fingerprints.method = method_fingerprint(task);
  return result;
}

}  // namespace sieve
