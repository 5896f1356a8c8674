#include "learning.h"
#include "support/places.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;

using Target = Learning;

TEST_F(Target, one_that_is_not_there_is_refused) {
  const Ran ran = sieve({"inspect", "crowd.arff"}, {.set = {{"SIEVE_TARGET", "abacus"}}});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("SIEVE_TARGET: 'abacus'"));
  EXPECT_THAT(ran.err, HasSubstr("plain"));
}

// What a processor without vectors would do.
TEST_F(Target, the_plain_one_trains_the_same_model) {
  ASSERT_EQ(train("wide.model").code, 0);
  const Ran ran = sieve(joined({"train", "crowd.arff", "--out", "plain.model"}, quick()),
                        {.set = {{"SIEVE_TARGET", "plain"}}});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read("plain.model"), read("wide.model"));
}

// Processors that are not there: one without vectors of 256 bits or fused multiply-adds, and one
// with AVX2.
TEST_F(Target, an_emulated_processor_trains_the_same_model) {
  const auto emulated = [&](const std::string& processor, const std::string& words) {
    return run_program(
        {"sh", "-c", "exec qemu-x86_64 -cpu " + processor + " " + sieve_command() + " " + words},
        {.folder = folder_.path()});
  };
  if (emulated("Nehalem", "--version").code != 0) GTEST_SKIP() << "there is no qemu-x86_64";
  const std::string training =
      "train crowd.arff --method mlp-noise --threads 1"
      " --set epochs=1,width=8,members=1,depth=1 --out ";
  ASSERT_EQ(run_program({"sh", "-c", "exec " + sieve_command() + " " + training + "here"},
                        {.folder = folder_.path()})
                .code,
            0);
  for (const std::string processor : {"Nehalem", "Haswell"}) {
    const Ran ran = emulated(processor, training + processor);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(read(processor), read("here")) << processor;
  }
}

}  // namespace
}  // namespace sieve::test
