#include "experiment/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>

#include "experiment/crew.h"
#include "labelsieve/learner.h"
#include "labelsieve/metrics.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/prepare.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

Dataset crowd() {
  ThreadPool pool(1);
  SynthOptions options;
  options.rows = 120;
  options.features = 10;
  options.labels = 6;
  return make_synthetic(options, pool);
}

Task task_of(const std::string& method, const std::string& noise, std::uint64_t seed) {
  Task task{"", "crowd", noise, method, method, "depth=1,epochs=2,members=1,width=8", seed, 0.2, 0};
  task.key = task_key(task);
  return task;
}

// The protocol once more, step by step as the paper has it.
std::vector<double> by_hand(const Dataset& whole, const Task& task, std::size_t average) {
  Dataset data = whole.clone();
  const Split split = split_random(data.rows(), 0.2, task.seed);
  if (average != 0) noise_fill(data, average, task.seed);
  const MethodInfo& info = method_info(task.learner);
  Options options(info.options);
  for (const auto& [key, value] :
       {std::pair{"depth", "1"}, {"epochs", "2"}, {"members", "1"}, {"width", "8"}})
    options.set(key, value);
  if (info.oracle) data.candidates = data.truth->clone();
  const TrainingData train = training_data(data).subset(split.train);
  const Dataset test = data.select_rows(split.test);
  ThreadPool pool(1);
  FitOptions fit;
  fit.seed = task.seed;
  fit.threads = &pool;
  const auto model = info.make(options)->fit(train, fit);
  const Matrix scores = model->scores(test.features, pool);
  const LabelMatrix train_truth = data.truth->select_rows(split.train);
  return {hamming_loss(model->decide(scores), *test.truth).value,
          ranking_loss(scores, *test.truth).value, one_error(scores, *test.truth).value,
          average_precision(scores, *test.truth).value,
          cleaning_auc(model->candidate_probabilities(train, pool), train.candidates, train_truth)
              .value};
}

TEST(RunTask, gives_the_numbers_of_the_protocol_bit_for_bit) {
  const Dataset data = crowd();
  for (const char* method : {"mlp", "mlp-noise", "pml-gan", "oracle"})
    for (const std::size_t average : {0, 4}) {
      const Task task = task_of(method, average == 0 ? "given" : "fill-4", 3);
      const Result result = run_task(task, data);
      ASSERT_TRUE(result.done()) << result.reason;
      const std::vector<double> expected = by_hand(data, task, average);
      std::size_t i = 0;
      for (const char* name :
           {"hamming-loss", "ranking-loss", "one-error", "average-precision", "cleaning-auc"})
        EXPECT_EQ(std::bit_cast<std::uint64_t>(result.measure(name)),
                  std::bit_cast<std::uint64_t>(expected[i++]))
            << task.key << " " << name;
      EXPECT_EQ(result.measures.size(), all_metrics().size());
      EXPECT_EQ(result.train_rows, 96U);
      EXPECT_EQ(result.test_rows, 24U);
      EXPECT_EQ(result.features, 10U);
      EXPECT_EQ(result.labels, 6U);
      EXPECT_GE(result.candidates, static_cast<double>(average));
    }
}

TEST(RunTask, tests_every_row_once_in_as_many_seeds_as_folds) {
  const Dataset data = crowd();
  std::size_t tested = 0;
  for (std::uint64_t seed = 7; seed < 12; ++seed) {
    Task task = task_of("mlp", "given", seed);
    task.folds = 5;
    const Result result = run_task(task, data);
    ASSERT_TRUE(result.done()) << result.reason;
    EXPECT_EQ(result.train_rows + result.test_rows, data.rows());
    tested += result.test_rows;
  }
  EXPECT_EQ(tested, data.rows());
}

TEST(RunTask, learns_from_what_the_plan_makes_of_votes) {
  const Dataset data = crowd();
  const auto result_of = [&](const std::string& learner) {
    Task task = task_of("mlp", "crowd-3:hidden=0:people=5", 3);
    task.learner = learner;
    return run_task(task, data);
  };
  const Result all = result_of("mlp");
  ASSERT_TRUE(all.done()) << all.reason;
  for (const VoteUse& use : vote_uses()) {
    const Result result = result_of(use.name + "+mlp");
    ASSERT_TRUE(result.done()) << use.name << ": " << result.reason;
    EXPECT_NE(result.measure("ranking-loss"), all.measure("ranking-loss")) << use.name;
    EXPECT_EQ(result.candidates, all.candidates) << use.name;
    EXPECT_EQ(result.measures, result_of(use.name + "+mlp").measures) << use.name;
  }
  EXPECT_THAT(run_task(task_of("majority+mlp", "fill-4", 1), data).reason,
              HasSubstr("who ticked what"));
}

// What a study measures is a model that anybody gets who asks for the same training.
TEST(RunTask, measures_the_model_of_the_same_request) {
  const Dataset whole = crowd();
  for (const char* votes : {"", "joint+"}) {
    const Task task = task_of(std::string(votes) + "mlp", "crowd-3:hidden=0:people=5", 3);
    ThreadPool pool(1);
    const Split split = split_random(whole.rows(), task.test_share, task.seed);
    const Dataset noisy =
        noisy_rows(whole, split.train, parse_noise(task.noise).value(), task.seed, pool);
    TrainRequest request{
        .method = "mlp",
        .settings = {{"depth", "1"}, {"epochs", "2"}, {"members", "1"}, {"width", "8"}}};
    request.fit.seed = task.seed;
    if (*votes == 0) request.learn_from = LearnFrom::Union;
    const Trained trained = train(noisy, request);
    const Dataset test = whole.select_rows(split.test);
    const Result result = run_task(task, whole);
    ASSERT_TRUE(result.done()) << result.reason;
    EXPECT_EQ(result.measure("average-precision"),
              average_precision(trained.model->scores(test.features, pool), *test.truth).value)
        << task.learner;
  }
}

// The protocol once more, for a majority.
TEST(RunTask, a_majority_of_three_is_two) {
  const Dataset whole = crowd();
  Task task = task_of("mlp", "crowd-3", 3);
  task.learner = "majority+mlp";
  Dataset noisy = whole.clone();
  noise_crowd(noisy, {}, task.seed);
  for (std::size_t i = 0; i < noisy.rows(); ++i)
    for (std::size_t k = 0; k < noisy.labels(); ++k) {
      int ticks = 0;
      for (std::size_t annotation = 3 * i; annotation < 3 * i + 3; ++annotation)
        ticks += static_cast<int>(std::ranges::count(noisy.votes->ticked(annotation), k));
      noisy.candidates.set(i, k, ticks >= 2);
    }
  noisy.votes = nullptr;
  const Split split = split_random(whole.rows(), 0.2, task.seed);
  const TrainingData train = training_data(noisy).subset(split.train);
  ThreadPool pool(1);
  FitOptions fit;
  fit.seed = task.seed;
  fit.threads = &pool;
  const auto model =
      make_learner("mlp", {{"depth", "1"}, {"epochs", "2"}, {"members", "1"}, {"width", "8"}})
          ->fit(train, fit);
  const Dataset test = whole.select_rows(split.test);
  EXPECT_EQ(run_task(task, whole).measure("average-precision"),
            average_precision(model->scores(test.features, pool), *test.truth).value);
}

TEST(RunTask, what_is_plausible_is_not_learnt_from_test_rows) {
  const Dataset data = crowd();
  const Task task = task_of("mlp", "plausible-100", 3);
  Dataset other = data.clone();
  for (const std::size_t row : split_random(data.rows(), task.test_share, task.seed).test)
    for (std::size_t k = 0; k < data.labels(); ++k)
      other.truth->set(row, k, !data.truth->get(row, k));
  const Result a = run_task(task, data), b = run_task(task, other);
  ASSERT_TRUE(a.done() && b.done()) << a.reason << b.reason;
  EXPECT_NE(a.measure("ranking-loss"), b.measure("ranking-loss"));
  EXPECT_EQ(a.measure("cleaning-auc"), b.measure("cleaning-auc"));
}

TEST(RunTask, other_seeds_give_other_numbers) {
  const Dataset data = crowd();
  EXPECT_NE(run_task(task_of("mlp", "fill-4", 1), data).measure("ranking-loss"),
            run_task(task_of("mlp", "fill-4", 2), data).measure("ranking-loss"));
}

TEST(RunTask, what_goes_wrong_is_a_result_with_a_reason) {
  const std::vector<std::size_t> first = {0};
  const Result result = run_task(task_of("mlp", "fill-4", 1), crowd().select_rows(first));
  EXPECT_FALSE(result.done());
  EXPECT_NE(result.reason, "");
  EXPECT_TRUE(result.measures.empty());
}

TEST(Outcome, comes_back_bit_for_bit_or_not_at_all) {
  Result result;
  result.status = Result::Status::Failed;
  result.reason = "line one\nline 2: 7:";
  result.measures = {
      {"a", 0.1 + 0.2}, {"b", std::numeric_limits<double>::quiet_NaN()}, {"c", -0.0}};
  result.seconds = 1e-300;
  result.peak_bytes = ~std::uint64_t{0};
  result.labels = 15;
  const std::string bytes = pack_outcome(result);
  Result again;
  ASSERT_TRUE(unpack_outcome(bytes, again));
  EXPECT_EQ(again.reason, result.reason);
  EXPECT_FALSE(again.done());
  EXPECT_EQ(again.measures[0], result.measures[0]);
  EXPECT_TRUE(std::isnan(again.measures[1].second));
  EXPECT_TRUE(std::signbit(again.measures[2].second));
  EXPECT_EQ(again.seconds, 1e-300);
  EXPECT_EQ(again.peak_bytes, ~std::uint64_t{0});
  EXPECT_EQ(again.labels, 15U);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpack_outcome(bytes.substr(0, size), again)) << size;
  EXPECT_FALSE(unpack_outcome(bytes + "1", again));
}

std::optional<Result> wait_for(Crew& crew) {
  std::optional<Result> result;
  while (!result && crew.running() != 0) result = crew.next(std::chrono::seconds(1));
  return result;
}

std::map<std::string, Dataset> sets() {
  std::map<std::string, Dataset> all;
  all.emplace("crowd", crowd());
  return all;
}

TEST(ForkCrew, does_tasks_in_other_processes_with_the_same_numbers) {
  const auto data = sets();
  const std::unique_ptr<Crew> crew = fork_crew(2, data);
  const Task tasks[] = {task_of("mlp", "given", 1), task_of("mlp", "given", 2)};
  for (const Task& task : tasks) crew->start(task);
  EXPECT_EQ(crew->running(), 2U);
  for (int i = 0; i < 2; ++i) {
    const std::optional<Result> result = wait_for(*crew);
    ASSERT_TRUE(result && result->done());
    EXPECT_EQ(result->measures, run_task(result->task, data.at("crowd")).measures);
    EXPECT_GT(result->seconds, 0);
  }
  EXPECT_EQ(crew->running(), 0U);
}

// A long task; its process is the only child of this one.
Task endless() {
  Task task = task_of("mlp", "given", 1);
  task.options = "depth=1,epochs=100000,members=1,patience=100000,width=64";
  return task;
}

pid_t only_child() {
  const std::string pid = std::to_string(::getpid());
  return static_cast<pid_t>(std::stol(read_file("/proc/" + pid + "/task/" + pid + "/children")));
}

TEST(ForkCrew, a_worker_that_dies_is_a_failed_task) {
  const auto data = sets();
  const std::string ballast(std::size_t{64} << 20, 'x');  // of the parent: it does not count
  const std::unique_ptr<Crew> crew = fork_crew(1, data);
  crew->start(endless());
  EXPECT_FALSE(crew->next(std::chrono::milliseconds(0)));
  ::kill(only_child(), SIGKILL);
  const std::optional<Result> result = wait_for(*crew);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->done());
  EXPECT_THAT(result->reason, HasSubstr("signal 9"));
  EXPECT_LT(result->peak_bytes, ballast.size());
  EXPECT_EQ(result->task, endless());
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they end by themselves
// The task is so large that memory is enough for the copy of the crew, but not for the worker's.
TEST(ForkCrew, an_exception_ends_the_worker_and_not_more) {
  const auto data = sets();
  const std::unique_ptr<Crew> crew = fork_crew(1, data);
  Task large = task_of("mlp", "given", 1);
  large.options.assign(std::size_t{64} << 20, 'x');
  const rlim_t pages = std::stoul(read_file("/proc/self/statm"));
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  const rlimit tight{pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{96} << 20),
                     before.rlim_max};
  ::setrlimit(RLIMIT_AS, &tight);
  const pid_t here = ::getpid();
  try {
    crew->start(large);
  } catch (const std::bad_alloc&) {
    if (::getpid() != here) ::_exit(3);
  }
  ::setrlimit(RLIMIT_AS, &before);
  const std::optional<Result> result = wait_for(*crew);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->reason, HasSubstr("signal 6"));
}
#endif

TEST(ForkCrew, its_end_ends_what_still_runs) {
  const auto data = sets();
  pid_t child = 0;
  {
    const std::unique_ptr<Crew> crew = fork_crew(1, data);
    crew->start(endless());
    child = only_child();
  }
  EXPECT_NE(::kill(child, 0), 0);
}

}  // namespace
}  // namespace sieve::test
