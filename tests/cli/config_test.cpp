#include "cli.h"

namespace sieve::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Config = Cli;

TEST_F(Config, flag_beats_environment_beats_file_beats_default) {
  write("c.toml", "[split]\nseed = 3\n");
  const std::vector<std::string> from_file = {"split", "--config", "c.toml", "--print-config"};
  EXPECT_THAT(sieve({"split", "--print-config"}).out, HasSubstr("\nseed = 1\n"));
  EXPECT_THAT(sieve(from_file).out, HasSubstr("\nseed = 3\n"));
  EXPECT_THAT(sieve(from_file, {.set = {{"SIEVE_SEED", "4"}}}).out, HasSubstr("\nseed = 4\n"));
  std::vector<std::string> with_flag = from_file;
  with_flag.insert(with_flag.end(), {"--seed", "5"});
  EXPECT_THAT(sieve(with_flag, {.set = {{"SIEVE_SEED", "4"}}}).out, HasSubstr("\nseed = 5\n"));
}

TEST_F(Config, a_flag_can_take_back_what_the_file_sets) {
  write("c.toml", "[convert]\nforce = true\n");
  EXPECT_THAT(sieve({"convert", "--config", "c.toml", "--print-config"}).out,
              HasSubstr("force = true"));
  EXPECT_THAT(sieve({"convert", "--config", "c.toml", "--print-config", "--no-force"}).out,
              HasSubstr("force = false"));
}

TEST_F(Config, what_print_config_writes_can_be_read_again) {
  const std::vector<std::string> flags = {
      "corrupt", "--print-config", "--label-names", "a \"b\",c\\d",
      "--rate",  "0.25",           "--delimiter",   "tab"};
  const Ran first = sieve(flags);
  EXPECT_EQ(first.code, 0) << first.err;
  write("again.toml", first.out);
  const Ran second = sieve({"corrupt", "--config", "again.toml", "--print-config"});
  EXPECT_EQ(second.out, first.out) << second.err;
}

TEST_F(Config, the_file_can_come_from_the_environment) {
  write("c.toml", "[split]\nfolds = 7\n");
  EXPECT_THAT(sieve({"split", "--print-config"}, {.set = {{"SIEVE_CONFIG", "c.toml"}}}).out,
              HasSubstr("folds = 7"));
}

TEST_F(Config, lists_may_be_arrays) {
  write("c.toml", "[evaluate]\nmetrics = [\"micro-f1\", \"macro-f1\"]\n");
  EXPECT_THAT(sieve({"evaluate", "--config", "c.toml", "--print-config"}).out,
              HasSubstr("micro-f1,macro-f1"));
}

TEST_F(Config, an_unknown_key_names_its_place_and_the_nearest_key) {
  write("c.toml", "[corrupt]\n\naverag = 4\n");
  const Ran ran = sieve({"corrupt", "a.csv", "b.csv", "--config", "c.toml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("c.toml:3:1: [corrupt] has no key 'averag'"));
  EXPECT_THAT(ran.err, HasSubstr("did you mean 'average'?"));
}

TEST_F(Config, tables_of_other_verbs_are_checked_too) {
  write("c.toml", "[splitt]\nseed = 1\n");
  const Ran ran = sieve({"methods", "--config", "c.toml"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("did you mean 'split'?"));
}

TEST_F(Config, bad_values_name_where_they_came_from) {
  write("c.toml", "[split]\nfolds = nan\n");
  EXPECT_THAT(sieve({"split", "x.csv", "--config", "c.toml"}).err,
              HasSubstr("c.toml:2:1: folds: 'nan' is not a whole number"));
  const Ran ran = sieve({"split", "x.csv"}, {.set = {{"SIEVE_FOLDS", "1"}}});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("SIEVE_FOLDS: 1 is out of range"));
}

TEST_F(Config, broken_and_hostile_files_are_refused) {
  std::string deep_key = "[split]\na", deep_list = "[split]\nseed = ";
  for (int i = 0; i < 8000; ++i) deep_key += ".a";
  for (int i = 0; i < 8000; ++i) deep_list += "[";
  const std::vector<std::string> contents = {
      "[split\n",      "seed = 1\n", "[split]\nseed = {a=1}\n",
      deep_key + "=1", deep_list,    "split = 3\n"};
  for (const std::string& content : contents) {
    write("c.toml", content);
    const Ran ran = sieve({"split", "x.csv", "--config", "c.toml"});
    EXPECT_EQ(ran.code, 2) << content.substr(0, 40) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("c.toml")) << content.substr(0, 40);
  }
  write("c.toml", deep_key + "=1");
  EXPECT_THAT(sieve({"split", "x.csv", "--config", "c.toml"}).err,
              HasSubstr("nest more than 100 deep"));
  write("c.toml", std::string(1U << 20, '#'));
  EXPECT_EQ(sieve({"split", "x.csv", "--config", "c.toml"}).code, 3);
  EXPECT_EQ(sieve({"split", "x.csv", "--config", "missing.toml"}).code, 5);
}

}  // namespace
}  // namespace sieve::test
