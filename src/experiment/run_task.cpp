#include "experiment/run_task.h"

#include <chrono>
#include <new>

#include "experiment/noise_variant.h"
#include "experiment/vote_use.h"
#include "labelsieve/error.h"
#include "labelsieve/memory.h"
#include "labelsieve/metrics.h"
#include "labelsieve/prepare.h"

namespace sieve {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Options options_of(const Task& task, const MethodInfo& method) {
  Options options(method.options);
  for (const std::string& setting : cut_at_commas(task.options)) {
    const std::size_t equals = setting.find('=');
    options.set(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return options;
}

double mean_count(const LabelMatrix& labels) {
  return static_cast<double>(labels.count()) / static_cast<double>(labels.rows());
}

// What a learner is given of the training rows.
TrainingData learnt_from(const Dataset& noisy, const VoteUse* votes, const Learner& learner,
                         const FitOptions& fit) {
  TrainingData ticked = training_data(noisy);
  if (votes == nullptr) return ticked;
  if (!ticked.votes) throw Error(Failure::Usage, "it is not known who ticked what");
  return votes->labels(std::move(ticked), learner, fit);
}

void measure(const Model& model, const TrainingData& ticked, const LabelMatrix& train_truth,
             const Dataset& test, ThreadPool& pool, Result& result) {
  const Matrix scores = model.scores(test.features, pool);
  const LabelMatrix decisions = model.decide(scores);
  for (const auto& [metric, measured] : evaluate<float>(&scores, &decisions, nullptr, *test.truth))
    result.measures.emplace_back(metric.key, measured.value);
  const Matrix confidence = model.confidence(ticked, pool);
  result.measures.emplace_back("cleaning-auc",
                               cleaning_auc(confidence, ticked.candidates, train_truth).value);
  result.measures.emplace_back(
      "cleaning-average-precision",
      cleaning_average_precision(confidence, ticked.candidates, train_truth).value);
}

void fit_and_measure(const Task& task, const Dataset& whole, Result& result) {
  const PlannedLearner planned = parse_learner(task.learner);
  const MethodInfo& method = method_info(planned.method);
  const Options options = options_of(task, method);
  ThreadPool pool(1);
  const Split split = split_random(whole.rows(), task.test_share, task.seed);
  const std::optional<NoiseVariant> noise = parse_noise(task.noise);
  if (!noise) throw Error(Failure::Usage, "there is no noise '" + task.noise + "'");
  Dataset noisy = noisy_rows(whole, split.train, *noise, task.seed, pool);
  result.candidates = mean_count(noisy.candidates);
  if (method.oracle) noisy.candidates = noisy.truth->clone();

  const Dataset test = whole.select_rows(split.test);
  result.train_rows = noisy.rows();
  result.test_rows = test.rows();
  result.features = noisy.features.cols();
  result.labels = noisy.labels();
  FitOptions fit;
  fit.seed = task.seed;
  fit.threads = &pool;
  const Clock::time_point start = Clock::now();
  const std::unique_ptr<Learner> learner = method.make(options);
  const std::unique_ptr<Model> model =
      learner->fit(learnt_from(noisy, planned.votes, *learner, fit), fit);
  result.fit_seconds = seconds_since(start);
  measure(*model, training_data(noisy), *noisy.truth, test, pool, result);
}

}  // namespace

Result run_task(const Task& task, const Dataset& data) {
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

}  // namespace sieve
