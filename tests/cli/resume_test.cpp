#include <sys/stat.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "labelsieve/model_io.h"
#include "learning.h"
#include "support/places.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A training long enough to be stopped, with a checkpoint after every epoch.
class Resume : public Learning {
 protected:
  static std::vector<std::string> words(const std::string& model) {
    return {"train",
            "crowd.arff",
            "--out",
            model,
            "--method",
            "pml-gan",
            "--set",
            "epochs=60,patience=100000,width=16,members=2,depth=1",
            "--checkpoint-every",
            "0"};
  }
  RunningProgram start(const std::vector<std::string>& more = {}) const {
    return {joined(joined({sieve_command()}, words("stopped")), more), folder_.path()};
  }
  // A new checkpoint is a new file under the old name.
  ino_t checkpoint() const {
    struct stat found {};
    return ::stat((folder_ / "stopped.checkpoint").c_str(), &found) == 0 ? found.st_ino : 0;
  }
  Ran resume() const { return sieve(joined(words("stopped"), {"--resume"})); }
  void expect_same_as_uninterrupted() const {
    const Ran whole = sieve(words("whole"));
    EXPECT_EQ(whole.code, 0) << whole.err;
    EXPECT_EQ(read("stopped"), read("whole"));
    EXPECT_FALSE(exists("stopped.checkpoint"));
  }
};

TEST_F(Resume, after_kill_at_several_moments_the_model_is_the_same) {
  for (int kills = 0; kills < 4; ++kills) {
    RunningProgram training = start({"--resume"});
    ino_t seen = checkpoint();
    for (int saves = 0; saves <= kills; ++saves) {
      ASSERT_TRUE(training.wait_until([&] { return checkpoint() != seen && checkpoint() != 0; }));
      seen = checkpoint();
    }
    training.signal(SIGKILL);
    EXPECT_EQ(training.wait(), 128 + SIGKILL);
    EXPECT_FALSE(exists("stopped"));
  }
  const Ran ran = resume();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("no checkpoint")));
  expect_same_as_uninterrupted();
}

TEST_F(Resume, an_interrupt_leaves_a_checkpoint_and_exits_with_7) {
  RunningProgram training = start();
  ASSERT_TRUE(training.wait_until([&] { return checkpoint() != 0; }));
  training.signal(SIGINT);
  EXPECT_EQ(training.wait(), 7);
  EXPECT_FALSE(exists("stopped"));
  EXPECT_THAT(sieve({"info", "stopped.checkpoint"}).out, HasSubstr("checkpoint of pml-gan"));
  EXPECT_EQ(resume().code, 0);
  expect_same_as_uninterrupted();
}

// No setting was found that diverges within a test's time; weights that are near the largest
// float32 already do it with the next products.
TEST_F(Resume, a_training_that_diverges_exits_with_6_and_leaves_the_last_checkpoint) {
  RunningProgram training = start();
  ASSERT_TRUE(training.wait_until([&] { return checkpoint() != 0; }));
  training.signal(SIGINT);
  ASSERT_EQ(training.wait(), 7);
  const std::string path = folder_ / "stopped.checkpoint";
  ModelState state = load_state(path, StateKind::Checkpoint);
  for (Tensor& tensor : state.tensors)
    if (tensor.name.ends_with("/parameters"))
      for (float& value : tensor.values) value *= 1e30F;
  save_state(state, StateKind::Checkpoint, path, IfExists::Replace);
  const std::string before = read("stopped.checkpoint");

  const Ran ran = resume();
  EXPECT_EQ(ran.code, 6);
  EXPECT_THAT(ran.err, HasSubstr("the training diverged: a number is no longer finite"));
  EXPECT_FALSE(exists("stopped"));
  EXPECT_EQ(read("stopped.checkpoint"), before);
}

TEST_F(Resume, the_log_goes_on_where_it_ended) {
  RunningProgram training = start({"--log", "stopped.jsonl"});
  ASSERT_TRUE(training.wait_until([&] { return checkpoint() != 0; }));
  training.signal(SIGINT);
  EXPECT_EQ(training.wait(), 7);
  EXPECT_EQ(sieve(joined(words("stopped"), {"--resume", "--log", "stopped.jsonl"})).code, 0);
  EXPECT_EQ(sieve(joined(words("whole"), {"--log", "whole.jsonl"})).code, 0);
  const auto epochs = [&](const std::string& log) {
    std::vector<int> numbers;
    std::istringstream lines(read(log));
    for (std::string line; std::getline(lines, line);)
      numbers.push_back(nlohmann::json::parse(line)["epoch"]);
    return numbers;
  };
  EXPECT_EQ(epochs("stopped.jsonl"), epochs("whole.jsonl"));
}

TEST_F(Resume, a_checkpoint_is_not_lost_by_forgetting_to_resume) {
  {
    RunningProgram training = start();
    ASSERT_TRUE(training.wait_until([&] { return checkpoint() != 0; }));
  }
  const Ran forgot = sieve(words("stopped"));
  EXPECT_EQ(forgot.code, 5);
  EXPECT_THAT(forgot.err, HasSubstr("continue with --resume"));

  std::vector<std::string> other = joined(words("stopped"), {"--resume", "--seed", "2"});
  const Ran wrong = sieve(other);
  EXPECT_EQ(wrong.code, 4);
  EXPECT_THAT(wrong.err, HasSubstr("stopped.checkpoint"));
  EXPECT_THAT(wrong.err, HasSubstr("belongs to another training"));
  EXPECT_TRUE(exists("stopped.checkpoint"));

  write("stopped.checkpoint", read("stopped.checkpoint").substr(0, 1000));
  EXPECT_EQ(resume().code, 4);
}

TEST_F(Resume, another_method_does_not_take_the_place_of_a_checkpoint) {
  {
    RunningProgram training = start();
    ASSERT_TRUE(training.wait_until([&] { return checkpoint() != 0; }));
  }
  const std::string before = read("stopped.checkpoint");
  for (const std::string method :
       {"forest", "ml-rbf", "pml-ni", "particle-vls", "capml", "blend"}) {
    const Ran other = sieve(
        {"train", "crowd.arff", "--out", "stopped", "--method", method, "--resume", "--quiet"});
    EXPECT_EQ(other.code, 4) << method;
    EXPECT_THAT(other.err, HasSubstr("stopped.checkpoint")) << method;
    EXPECT_THAT(other.err, HasSubstr("belongs to another training")) << method;
    EXPECT_FALSE(exists("stopped")) << method;
    ASSERT_EQ(read("stopped.checkpoint"), before) << method;
  }
  EXPECT_EQ(resume().code, 0);
}

TEST_F(Resume, an_interrupt_while_ticks_are_weighed_says_that_there_is_no_checkpoint) {
  sieve({"synth", "--rows", "200", "--out", "ticked.csv", "--annotations", "ticks.csv"});
  RunningProgram training(
      {"/bin/bash", "-c",
       "exec " + shell_quoted(sieve_command()) +
           " train ticked.csv --annotations ticks.csv --out stopped --method mlp-noise --set "
           "epochs=100000,patience=100000,width=16,members=1,depth=1 2> said"},
      folder_.path());
  ASSERT_TRUE(training.wait_until([&] { return exists("said") && !read("said").empty(); }));
  training.signal(SIGINT);
  EXPECT_EQ(training.wait(), 7);
  EXPECT_THAT(read("said"), HasSubstr("there is no checkpoint"));
  EXPECT_FALSE(exists("stopped"));
  EXPECT_FALSE(exists("stopped.checkpoint"));
}

TEST_F(Resume, a_training_that_collapses_exits_with_6_and_keeps_its_checkpoint) {
  const Ran ran =
      sieve({"train", "crowd.arff", "--out", "model", "--checkpoint-every", "0", "--method",
             "pml-gan", "--set", "objective=paper,epochs=60,members=1,depth=1,width=16,beta=1"});
  EXPECT_EQ(ran.code, 6);
  EXPECT_THAT(ran.err, HasSubstr("collapsed"));
  EXPECT_FALSE(exists("model"));
  EXPECT_EQ(sieve({"info", "model.checkpoint"}).code, 0);
}

TEST_F(Resume, without_a_checkpoint_starts_from_the_beginning_with_a_note) {
  const Ran ran = train("model", {"--resume"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.err, HasSubstr("no checkpoint to resume from"));
  train("plain");
  EXPECT_EQ(read("model"), read("plain"));
}

}  // namespace
}  // namespace sieve::test
