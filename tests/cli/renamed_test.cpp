#include <nlohmann/json.hpp>

#include "cli.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Flags, keys and verbs that have a new name: the earlier one is read as well, but not both.
class Renamed : public Cli {
 protected:
  Renamed() { write("t.csv", "photo,who,what\na,ann,x\na,bob,x\nb,ann,y\nb,bob,x\n"); }
  const std::vector<std::string> now_ = {"inspect",
                                         "--json",
                                         "--annotations",
                                         "t.csv",
                                         "--item-column",
                                         "photo",
                                         "--annotator-column",
                                         "who",
                                         "--annotation-label-column",
                                         "what"};
};

TEST_F(Renamed, flags_are_read_by_both_names) {
  const Ran now = sieve(now_);
  ASSERT_EQ(now.code, 0) << now.err;
  EXPECT_THAT(now.out, HasSubstr("\"rows\":2"));
  const Ran before = sieve({"inspect", "--json", "--ticks", "t.csv", "--ticks-item", "photo",
                            "--ticks-person=who", "--ticks-label", "what"});
  EXPECT_EQ(before.out, now.out) << before.err;
}

TEST_F(Renamed, a_flag_by_both_names_is_refused) {
  const Ran ran = sieve({"inspect", "--ticks", "t.csv", "--annotations", "t.csv"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--annotations and --ticks: two names of one setting"));
}

TEST_F(Renamed, yes_or_no_flags_can_be_taken_back_by_both_names) {
  for (const char* flag : {"--no-all-annotations", "--no-ticks-all"}) {
    const Ran ran =
        sieve({"inspect", "--print-config", flag}, {.set = {{"SIEVE_TICKS_ALL", "true"}}});
    EXPECT_THAT(ran.out, HasSubstr("all-annotations = false")) << flag << ran.err;
  }
  const Ran set = sieve({"inspect", "--print-config"}, {.set = {{"SIEVE_TICKS_ALL", "true"}}});
  EXPECT_THAT(set.out, HasSubstr("all-annotations = true"));
}

TEST_F(Renamed, variables_by_both_names_are_refused) {
  const Ran ran =
      sieve({"inspect"}, {.set = {{"SIEVE_TICKS", "t.csv"}, {"SIEVE_ANNOTATIONS", "t.csv"}}});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("SIEVE_ANNOTATIONS and SIEVE_TICKS: two names of one setting"));
}

TEST_F(Renamed, a_flag_beats_the_earlier_key_of_a_file) {
  write("c.toml", "[inspect]\nticks = \"none.csv\"\ntext-letters = 3\n");
  const Ran ran =
      sieve({"inspect", "--config", "c.toml", "--annotations", "t.csv", "--print-config"});
  EXPECT_THAT(ran.out, HasSubstr("\nannotations = 't.csv'\n")) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\nchar-ngrams = 3\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("ticks")));
}

TEST_F(Renamed, keys_of_a_file_by_both_names_are_refused) {
  write("c.toml", "[inspect]\nticks = \"t.csv\"\nannotations = \"t.csv\"\n");
  const Ran ran = sieve({"inspect", "--config", "c.toml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("c.toml:2:1: ticks"));
  EXPECT_THAT(ran.err, HasSubstr("two names of one setting"));
}

TEST_F(Renamed, the_verb_is_understood_by_both_names) {
  write("t.csv", "item,annotator,label\na,ann,x\na,bob,x\nb,ann,y\nb,bob,x\n");
  const Ran now = sieve({"annotators", "--annotations", "t.csv"});
  EXPECT_EQ(now.code, 0) << now.err;
  EXPECT_EQ(sieve({"people", "--ticks", "t.csv"}).out, now.out);
  EXPECT_EQ(sieve({"help", "people"}).out, sieve({"help", "annotators"}).out);
}

TEST_F(Renamed, settings_of_noise_go_by_both_names) {
  ASSERT_EQ(sieve({"synth", "--rows", "60", "--out", "r.csv"}).code, 0);
  const auto corrupted = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> words = {"corrupt", "r.csv",      "c.csv",
                                      "--force", "--protocol", "crowd"};
    words.insert(words.end(), flags.begin(), flags.end());
    EXPECT_EQ(sieve(words).code, 0);
    return read("c.csv");
  };
  EXPECT_EQ(corrupted({"--looks", "2", "--people", "5", "--false-ticks", "0.1"}),
            corrupted({"--annotators-per-row", "2", "--annotators", "5", "--false-positive-rate",
                       "0.1"}));
  EXPECT_EQ(sieve({"corrupt", "r.csv", "c.csv", "--force", "--protocol", "crowd", "--looks", "2",
                   "--annotators-per-row", "2"})
                .code,
            2);
}

TEST_F(Renamed, members_of_json_stand_under_both_names) {
  write("t.csv", "item,annotator,label\na,ann,x\na,bob,x\nb,ann,y\nb,bob,x\n");
  const auto found =
      nlohmann::json::parse(sieve({"annotators", "--annotations", "t.csv", "--json"}).out);
  EXPECT_EQ(found["annotations"], 4);
  EXPECT_EQ(found["looks"], found["annotations"]);
  EXPECT_EQ(found["people"], found["annotators"]);
  EXPECT_EQ(found["annotators"][0]["annotator"], "ann");
  EXPECT_EQ(found["annotators"][0]["person"], "ann");
  ASSERT_EQ(sieve({"synth", "--rows", "200", "--out", "r.csv", "--annotations", "c.csv"}).code, 0);
  const auto compared =
      nlohmann::json::parse(sieve({"annotators", "--annotations", "c.csv", "--json"}).out);
  const auto& one = compared["annotators"][0];
  ASSERT_TRUE(one.contains("false_positive_rate"));
  EXPECT_EQ(one["false_ticks"], one["false_positive_rate"]);
}

TEST_F(Renamed, tables_of_a_file_go_by_both_names_of_the_verb_but_not_both) {
  write("c.toml", "[people]\ntop = 3\n");
  EXPECT_THAT(sieve({"annotators", "--config", "c.toml", "--print-config"}).out,
              HasSubstr("[annotators]\ntop = 3\n"));
  write("c.toml", "[people]\ntop = 3\n[annotators]\ntop = 4\n");
  const Ran ran = sieve({"annotators", "--config", "c.toml", "--print-config"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("another name of a table that is there already"));
}

TEST_F(Renamed, help_shows_new_names_only) {
  for (const char* verb : {"inspect", "train", "annotators", "convert", "synth"}) {
    const std::string help = sieve({"help", verb}).out;
    EXPECT_THAT(help, Not(HasSubstr("--ticks"))) << verb;
    EXPECT_THAT(help, Not(HasSubstr("--text-letters"))) << verb;
  }
  EXPECT_THAT(sieve({"help"}).out, Not(HasSubstr("\n  people ")));
}

TEST_F(Renamed, messages_say_new_names) {
  write("two.csv", "id,photo,label:x\na,b,1\nb,a,0\n");
  const Ran ran = sieve({"inspect", "two.csv", "--ticks-item", "photo"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--item-column needs --annotations"));
}

// What was not set must stay so when a printed configuration is read.
TEST_F(Renamed, a_printed_configuration_does_not_decide_on_the_header) {
  write("h.csv", "1,2,x\n3,4,1\n5,6,0\n");
  const std::vector<std::string> read = {"inspect", "h.csv", "--label-names", "x", "--json"};
  std::vector<std::string> print = read, again = {"inspect", "h.csv", "--config", "c.toml"};
  print.emplace_back("--print-config");
  write("c.toml", sieve(print).out);
  const Ran ran = sieve(again);
  EXPECT_EQ(ran.out, sieve(read).out) << ran.err;
}

}  // namespace
}  // namespace sieve::test
