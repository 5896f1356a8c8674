#include <nlohmann/json.hpp>

#include "cli.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Usage = Cli;

TEST_F(Usage, sieve_alone_prints_an_overview_of_all_verbs) {
  const Ran ran = sieve({});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  for (const char* verb : {"inspect", "convert", "corrupt", "split", "train", "predict", "export",
                           "clean", "annotators", "aggregate", "ask", "evaluate", "experiment",
                           "compare", "info", "synth", "methods", "help", "completion"})
    EXPECT_THAT(ran.out, HasSubstr(std::string("\n  ") + verb));
}

TEST_F(Usage, words_of_other_programs_get_a_pointer) {
  EXPECT_THAT(sieve({"fit", "x.csv"}).err, HasSubstr("say: sieve train"));
  EXPECT_THAT(sieve({"train", "x.csv", "--epochs", "3"}).err, HasSubstr("--set epochs=10"));
  EXPECT_THAT(sieve({"predict", "m", "x.csv", "--proba"}).err, HasSubstr("--kind scores"));
  EXPECT_EQ(sieve({"fit", "x.csv"}).code, 2);
}

TEST_F(Usage, version_is_one_line) {
  EXPECT_THAT(sieve({"--version"}).out, ::testing::MatchesRegex("sieve [0-9.]+\n"));
}

TEST_F(Usage, help_of_a_verb_lists_its_flags_and_an_example) {
  const Ran ran = sieve({"help", "corrupt"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("--protocol fill|extra|plausible|flip"));
  EXPECT_THAT(ran.out, HasSubstr("example\n  sieve corrupt"));
  EXPECT_EQ(sieve({"corrupt", "--help"}).out, ran.out);
  EXPECT_EQ(sieve({"corrupt", "-h"}).out, ran.out);
}

TEST_F(Usage, an_unknown_verb_names_the_nearest) {
  const Ran ran = sieve({"inspekt", "x.csv"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("there is no verb 'inspekt'"));
  EXPECT_THAT(ran.err, HasSubstr("did you mean 'inspect'?"));
}

TEST_F(Usage, an_unknown_flag_names_the_nearest_with_its_help) {
  const Ran ran = sieve({"split", "x.csv", "--fold", "3"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("sieve split has no flag --fold"));
  EXPECT_THAT(ran.err, HasSubstr("--folds N"));
  for (const char* odd : {"---", "-x", "--=", "--folds-of-something-else=3"})
    EXPECT_EQ(sieve({"split", "x.csv", odd}).code, 2) << odd;
}

TEST_F(Usage, a_flag_without_its_value_shows_the_help_of_that_flag) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"split", "x.csv", "--seed"}, {"split", "x.csv", "--seed", "--json"}}) {
    const Ran ran = sieve(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("--seed: needs a value"));
    EXPECT_THAT(ran.err, HasSubstr("random seed"));
  }
}

TEST_F(Usage, a_flag_given_twice_is_refused) {
  const Ran ran = sieve({"split", "x.csv", "--seed", "1", "--seed", "2"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--seed: given more than once"));
}

TEST_F(Usage, numbers_must_be_plain_finite_and_in_range) {
  for (const char* bad : {"nan", "inf", "1e999", "0x1", "1,5", "", " 1", "abc"}) {
    const Ran ran = sieve({"corrupt", "a.csv", "b.csv", "--protocol", "flip", "--rate", bad});
    EXPECT_EQ(ran.code, 2) << bad;
    EXPECT_THAT(ran.err, HasSubstr("--rate")) << bad;
    EXPECT_THAT(ran.err, HasSubstr("is not a finite decimal number")) << bad;
  }
  EXPECT_THAT(sieve({"corrupt", "a.csv", "b.csv", "--rate", "1.5"}).err,
              HasSubstr("1.5 is out of range: 0 to 1"));
  EXPECT_THAT(sieve({"split", "a.csv", "--folds", "2.5"}).err,
              HasSubstr("'2.5' is not a whole number"));
  EXPECT_THAT(sieve({"split", "a.csv", "--seed", "99999999999999999999"}).err,
              HasSubstr("is not a whole number"));
}

TEST_F(Usage, a_value_that_is_no_choice_lists_the_choices) {
  const Ran ran = sieve({"convert", "a.csv", "b.csv", "--scale", "log"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("'log' is not one of minmax, standard, none"));
}

TEST_F(Usage, too_few_and_too_many_words_tell_the_usage) {
  EXPECT_THAT(sieve({"inspect"}).err, HasSubstr("usage: sieve inspect PATH..."));
  EXPECT_EQ(sieve({"inspect"}).code, 2);
  EXPECT_THAT(sieve({"synth", "more"}).err, HasSubstr("too many arguments: 'more'"));
  EXPECT_EQ(sieve({"synth", "more"}).code, 2);
  EXPECT_EQ(sieve({"--json", "methods"}).code, 2);
}

TEST_F(Usage, methods_lists_them_and_explains_one) {
  EXPECT_THAT(sieve({"methods"}).out, HasSubstr("\npml-gan "));
  EXPECT_THAT(sieve({"methods", "mlp"}).out, HasSubstr("\nlearning-rate "));
  const nlohmann::json all = nlohmann::json::parse(sieve({"methods", "--json"}).out);
  EXPECT_EQ(all["methods"][0]["name"], "blend") << "the default";
  const nlohmann::json one = nlohmann::json::parse(sieve({"methods", "mlp", "--json"}).out);
  EXPECT_EQ(one["options"][0]["key"], "members");
  EXPECT_EQ(one["oracle"], false);
  const Ran unknown = sieve({"methods", "pml-gun"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("pml-gan"));
}

TEST_F(Usage, completions_know_every_verb_and_flag) {
  const std::string help = sieve({"help", "--json"}).out;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Ran ran = sieve({"completion", shell});
    EXPECT_EQ(ran.code, 0);
    for (const char* word :
         {"inspect", "convert", "corrupt", "split", "train", "predict", "clean", "evaluate", "info",
          "synth", "methods", "help", "completion", "label-names", "protocol",
          "fill extra plausible flip", "fail-below", "print-config", "truth"})
      EXPECT_THAT(ran.out, HasSubstr(word)) << shell;
  }
  EXPECT_EQ(sieve({"completion", "tcsh"}).code, 2);
  EXPECT_THAT(help, StartsWith("{\"verbs\":[{\"verb\":\"inspect\""));
}

TEST_F(Usage, bash_completion_completes) {
  write("script", sieve({"completion", "bash"}).out +
                      "COMP_WORDS=(sieve corrupt --protocol pl); COMP_CWORD=3; _sieve\n"
                      "echo \"${COMPREPLY[@]}\"\n"
                      "COMP_WORDS=(sieve eval); COMP_CWORD=1; _sieve; echo \"${COMPREPLY[@]}\"\n"
                      "COMP_WORDS=(sieve split --fo); COMP_CWORD=2; _sieve\n"
                      "echo \"${COMPREPLY[@]}\"\n");
  const Ran ran = run_program({"bash", folder_ / "script"});
  EXPECT_EQ(ran.out, "plausible\nevaluate\n--folds --force --format\n") << ran.err;
}

}  // namespace
}  // namespace sieve::test
