#include "experiment/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "experiment/task.h"
#include "support/bad_text.h"
#include "support/places.h"
#include "support/support.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSmall = R"(
title = "Small"
repeats = 2
first-seed = 5
keep-labels = 15

[[data]]
name = "yeast"
noise = "fill"
levels = [10, 9]

[[data]]
name = "real"
folder = "real.mat"
keep-labels = 3

[[method]]
name = "mlp"
set = { width = 8, epochs = 2 }

[[method]]
name = "cls-gen"
learner = "pml-gan"
set = { ablation = "cls-gen" }
)";

Plan plan_of(const std::string& text) {
  const TempFolder folder;
  write_file(folder / "plan.toml", text);
  return read_plan(folder / "plan.toml");
}

std::string with(const std::string& what, const std::string& instead) {
  std::string text = kSmall;
  return text.replace(text.find(what), what.size(), instead);
}

TEST(Plan, says_which_columns_are_labels) {
  const Plan plan =
      plan_of(with("name = \"real\"",
                   "name = \"real\"\nlabel-column = \"tags\"\nlabel-separator = \"|\"\n"
                   "labels-are = \"truth\""));
  EXPECT_EQ(plan.sets[1].read.labels.column, "tags");
  EXPECT_EQ(plan.sets[1].read.labels.separator, "|");
  EXPECT_TRUE(plan.sets[1].surely_true && plan.sets[1].given_noise);
  EXPECT_FALSE(plan.sets[0].surely_true || plan.sets[0].given_noise);
  for (const char* wrong : {"label-count = 2\nlabel-prefix = \"y_\"", "label-separator = \"\"",
                            "labels-are = \"candidates\"", "label-count = \"two\""})
    EXPECT_THROW(plan_of(with("name = \"real\"", std::string("name = \"real\"\n") + wrong)), Error)
        << wrong;
}

TEST(Plan, has_folds_in_the_place_of_a_share) {
  const Plan plan = plan_of(with("repeats = 2", "folds = 4"));
  EXPECT_EQ(plan.tasks.size(), 3U * 2 * 4) << "as many repeats as folds";
  for (const Task& task : plan.tasks) EXPECT_EQ(task.folds, 4U);
  EXPECT_EQ(plan_of(with("repeats = 2", "repeats = 8\nfolds = 4")).tasks.size(), 3U * 2 * 8);
  EXPECT_NE(plan.info.hash, plan_of(with("repeats = 2", "repeats = 4")).info.hash);
  for (const char* wrong : {"folds = 1", "folds = 2.5", "folds = 4\ntest-share = 0.25"})
    EXPECT_THROW(plan_of(with("repeats = 2", wrong)), Error) << wrong;
}

TEST(Plan, keeps_rows_without_labels_where_it_says_so) {
  const Plan plan = plan_of(with("name = \"real\"", "name = \"real\"\nkeep-unlabelled = true"));
  EXPECT_FALSE(plan.sets[0].keep_unlabelled);
  EXPECT_TRUE(plan.sets[1].keep_unlabelled);
  EXPECT_THROW(plan_of(with("name = \"real\"", "name = \"real\"\nkeep-unlabelled = 1")), Error);
}

TEST(Plan, says_how_a_set_is_read_as_the_flags_do) {
  const Plan plan =
      plan_of(with("name = \"real\"",
                   "name = \"real\"\nlabel-names = [\"a\", \"@b\"]\ntext-column = [\"title\"]\n"
                   "delimiter = \"tab\"\nheader = false\nid-column = \"none\"\nchar-ngrams = 4"));
  const ReadOptions& read = plan.sets[1].read;
  EXPECT_THAT(read.labels.names, ElementsAre("a", "@b"));
  EXPECT_THAT(read.table.text, ElementsAre("title"));
  EXPECT_EQ(read.delimiter, '\t');
  EXPECT_EQ(read.header, false);
  EXPECT_EQ(read.id_column, "");
  EXPECT_EQ(read.table.terms.char_grams, 4U);
}

TEST(Plan, reads_earlier_keys_but_not_both) {
  const auto planned = [](const std::string& keys) {
    return plan_of(with("name = \"real\"", "name = \"real\"\n" + keys));
  };
  EXPECT_EQ(planned("text-letters = 3").sets[1].read.table.terms.char_grams, 3U);
  try {
    planned("text-letters = 3\nchar-ngrams = 3");
    FAIL() << "two names of one setting";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'text-letters' of [[data]] is an earlier name of "
                                        "'char-ngrams', which is there too"));
    EXPECT_GT(error.where().line, 0U);
  }
}

TEST(Plan, expands_into_tasks_with_stable_keys) {
  const Plan plan = plan_of(kSmall);
  std::vector<std::string> keys;
  for (const Task& task : plan.tasks) keys.push_back(task.key);
  EXPECT_THAT(keys, ElementsAre("yeast/fill-10/mlp/seed-5", "yeast/fill-10/mlp/seed-6",
                                "yeast/fill-10/cls-gen/seed-5", "yeast/fill-10/cls-gen/seed-6",
                                "yeast/fill-9/mlp/seed-5", "yeast/fill-9/mlp/seed-6",
                                "yeast/fill-9/cls-gen/seed-5", "yeast/fill-9/cls-gen/seed-6",
                                "real/given/mlp/seed-5", "real/given/mlp/seed-6",
                                "real/given/cls-gen/seed-5", "real/given/cls-gen/seed-6"));
  EXPECT_EQ(plan.tasks[2].learner, "pml-gan");
  EXPECT_EQ(plan.tasks[2].options, "ablation=cls-gen");
  EXPECT_EQ(plan.tasks[0].options, "epochs=2,width=8");
  EXPECT_EQ(plan.tasks[0].keep_labels, 15U);
  EXPECT_EQ(plan.tasks[8].keep_labels, 3U);
  EXPECT_EQ(plan.sets[1].folder, "real.mat");
  EXPECT_EQ(plan.info.measures.size(), 4U);
}

TEST(Plan, the_hash_is_about_what_tasks_mean_and_nothing_else) {
  const std::string hash = plan_of(kSmall).info.hash;
  EXPECT_EQ(hash, "8e59129a1fa0bfc5") << "stores of older versions would be refused";
  EXPECT_EQ(plan_of(with("title = \"Small\"", "# a word\ntitle = \"Other\"")).info.hash, hash);
  EXPECT_EQ(plan_of(with("width = 8, epochs = 2", "epochs = 2, width = 8")).info.hash, hash);
  for (const auto& [what, instead] :
       std::vector<std::pair<std::string, std::string>>{{"repeats = 2", "repeats = 3"},
                                                        {"first-seed = 5", "first-seed = 6"},
                                                        {"width = 8", "width = 9"},
                                                        {"[10, 9]", "[9, 10]"},
                                                        {"keep-labels = 3", "keep-labels = 4"},
                                                        {"repeats", "test-share = 0.3\nrepeats"}})
    EXPECT_NE(plan_of(with(what, instead)).info.hash, hash) << instead;
}

constexpr const char* kCrowd = R"(
repeats = 1
[[data]]
name = "scene"
noise = "crowd"
levels = [3, 5]
set = { people = 20, hidden = 0.2 }
[[method]]
name = "mlp"
[[method]]
name = "by-majority"
learner = "majority+mlp"
)";

std::string crowd_with(const std::string& what, const std::string& instead) {
  std::string text = kCrowd;
  return text.replace(text.find(what), what.size(), instead);
}

TEST(Plan, of_a_crowd_has_its_numbers_and_what_is_made_of_votes_in_the_tasks) {
  const Plan plan = plan_of(kCrowd);
  ASSERT_EQ(plan.tasks.size(), 4U);
  EXPECT_EQ(plan.tasks[1].key, "scene/crowd-3:hidden=0.2:people=20/by-majority/seed-1");
  EXPECT_EQ(plan.tasks[1].learner, "majority+mlp");
  EXPECT_EQ(plan.tasks[2].noise, "crowd-5:hidden=0.2:people=20");
}

// 500 levels of one set and the other set as it is, with 2 methods and 1000 repeats.
std::string many_levels() {
  std::string levels = "[10";
  for (int level = 1000; level < 1499; ++level) levels += ", " + std::to_string(level);
  std::string text = with("[10, 9]", levels + "]");
  return text.replace(text.find("repeats = 2"), 11, "repeats = 1000");
}

class BadPlan : public ::testing::TestWithParam<BadText> {};

TEST_P(BadPlan, is_refused_with_key_and_line) {
  int code = 0;
  const std::string message = refusal([] { plan_of(GetParam().text); }, &code);
  EXPECT_EQ(code, 2);
  EXPECT_THAT(message, HasSubstr("plan.toml:"));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Plan, BadPlan,
    ::testing::Values(
        BadText{"unknown_key", with("repeats", "repeat"), "did you mean 'repeats'?"},
        BadText{"unknown_data_key", with("levels", "level"), "[[data]] has no key 'level'"},
        BadText{"unknown_method_key", with("learner", "lerner"), "did you mean 'learner'?"},
        BadText{"line_of_the_key", with("levels", "lvels"), "plan.toml:10"},
        BadText{"unknown_method", with("\"mlp\"", "\"mpl\""), "there is no method 'mpl'"},
        BadText{"unknown_option", with("width", "widht"), "did you mean 'width'?"},
        BadText{"option_out_of_range", with("width = 8", "width = 0"), "it takes a whole number"},
        BadText{"unknown_measure", with("repeats", "measures = [\"hamming\"]\nrepeats"),
                "'hamming', which is not a measure"},
        BadText{"unknown_noise", with("\"fill\"", "\"fil\""), "did you mean 'fill'?"},
        BadText{"level_without_noise", with("noise = \"fill\"\n", ""), "'levels' of [[data]]"},
        BadText{"noise_without_level", with("levels = [10, 9]\n", ""), "'levels' of [[data]]"},
        BadText{"broken_level", with("[10, 9]", "[10, 9.5]"), "9.5"},
        BadText{"repeated_level", with("[10, 9]", "[10, 10]"), "twice"},
        BadText{"level_is_text", with("[10, 9]", "[\"10\"]"), "list of numbers"},
        BadText{"repeated_name", with("\"real\"", "\"yeast\""), "is there already"},
        BadText{"name_with_slash", with("\"real\"", "\"re/al\""), "cannot be 're/al'"},
        BadText{"name_that_means_something", with("\"real\"", "\"main\""), "cannot be 'main'"},
        BadText{"no_repeats", with("repeats = 2", "repeats = 0"), "from 1 to 10000"},
        BadText{"repeats_as_text", with("repeats = 2", "repeats = \"2\""), "whole number"},
        BadText{"test_share", with("repeats", "test-share = 1.0\nrepeats"), "0.001 to 0.999"},
        BadText{"no_data", "repeats = 1\n[[method]]\nname = \"mlp\"\n", "'data' of the plan"},
        BadText{"no_method", "[[data]]\nname = \"x\"\n", "'method' of the plan"},
        BadText{"too_many_tasks", many_levels(), "makes 1002000 tasks"},
        BadText{"unknown_noise_setting", crowd_with("hidden", "hiden"), "did you mean 'hidden'?"},
        BadText{"noise_setting_out_of_range", crowd_with("0.2", "1.2"), "'set' of [[data]]"},
        BadText{"level_as_setting", crowd_with("people = 20", "looks = 4"), "'set' of [[data]]"},
        BadText{"more_looks_than_people", crowd_with("people = 20", "people = 4"), "has 5"},
        BadText{"earlier_name_beside_the_new",
                crowd_with("people = 20", "people = 20, annotators = 9"),
                "'annotators' and 'people' are one setting"},
        BadText{"settings_without_noise", with("[10, 9]", "[10]\n[[data]]\nname = \"x\"\nset = {}"),
                "no meaning for noise = given"},
        BadText{"unknown_use_of_votes", crowd_with("majority+", "mayority+"),
                "did you mean 'majority'?"},
        BadText{"votes_where_there_are_none", with("\"pml-gan\"", "\"joint+pml-gan\""),
                "the set 'yeast' has none"},
        BadText{"an_oracle_with_votes", crowd_with("majority+mlp", "majority+oracle"),
                "is an oracle"},
        BadText{"no_toml", "repeats 2", "plan.toml:1"}),
    kBadTextName);

Plan shipped(const std::string& name) {
  return read_plan(project_folder() + "/plans/" + name);
}

std::size_t variants(const Plan& plan) {
  std::set<std::string> seen;
  for (const Task& task : plan.tasks) seen.insert(task.data_set + "/" + task.noise);
  return seen.size();
}

TEST(Plan, of_the_paper_has_12_sets_and_49_variants) {
  const Plan plan = shipped("paper.toml");
  EXPECT_EQ(plan.sets.size(), 12U);
  EXPECT_EQ(variants(plan), 49U);
  EXPECT_EQ(plan.tasks.size(), 49U * 17 * 10);
  std::vector<Task> main = select_tasks(plan.tasks, {"main", "pml-gan", "seed-30"});
  ASSERT_EQ(main.size(), 12U);
  EXPECT_EQ(main[2].key, "mirflickr/given/pml-gan/seed-30");
  EXPECT_EQ(main[3].key, "image/fill-3/pml-gan/seed-30");
  EXPECT_EQ(main[11].key, "tmc2007/fill-10/pml-gan/seed-30");
  for (const PlannedSet& set : plan.sets) EXPECT_NE(set.get, "") << set.name;
}

TEST(Plan, all_that_ship_can_be_read) {
  EXPECT_EQ(variants(shipped("ablation.toml")), 12U);
  EXPECT_EQ(shipped("ablation.toml").tasks.size(), 12U * 4 * 10);
  EXPECT_EQ(variants(shipped("noise.toml")), 6U);
  EXPECT_EQ(shipped("quick.toml").tasks.size(), 3U * 4 * 3);
  EXPECT_EQ(shipped("crowd.toml").tasks.size(), 4U * 9 * 5);
}

TEST(NoiseVariant, texts_come_back) {
  for (const char* text :
       {"given", "fill-10", "extra-2", "plausible-150", "flip-0.25", "crowd-3",
        "crowd-2:hidden=0.2:people=30", "crowd-2:annotators=30", "extra-2:share=0.5"}) {
    const auto noise = parse_noise(text);
    ASSERT_TRUE(noise) << text;
    EXPECT_EQ(to_string(*noise), text);
  }
  for (const char* text :
       {"", "fill", "fill-", "fill-0", "fill-2.5", "flip-1.5", "flip-nan", "given-1", "fil-3",
        "fill-3x", "plausible-0", "crowd-3:", "crowd-3:people", "crowd-3:people=2", "crowd-3:x=1",
        "crowd-3:hidden=0.1:", "given:x=1"})
    EXPECT_FALSE(parse_noise(text)) << text;
}

TEST(SelectTasks, words_of_one_part_are_alternatives_and_parts_all_hold) {
  const std::vector<Task> tasks = plan_of(kSmall).tasks;
  EXPECT_EQ(select_tasks(tasks, {}).size(), 12U);
  EXPECT_EQ(select_tasks(tasks, {"yeast"}).size(), 8U);
  EXPECT_EQ(select_tasks(tasks, {"yeast", "real"}).size(), 12U);
  EXPECT_EQ(select_tasks(tasks, {"yeast", "mlp", "seed-6"}).size(), 2U);
  EXPECT_EQ(select_tasks(tasks, {"main"}).size(), 8U);
  EXPECT_EQ(select_tasks(tasks, {"yeast/fill-9", "real"}).size(), 8U);
  EXPECT_EQ(select_tasks(tasks, {"yeast", "given"}).size(), 0U);
  EXPECT_THAT(refusal([&] { select_tasks(tasks, {"yaest"}); }), HasSubstr("did you mean 'yeast'?"));
}

}  // namespace
}  // namespace sieve::test
