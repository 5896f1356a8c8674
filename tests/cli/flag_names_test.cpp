#include "flag_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "data/read_settings.h"
#include "support/places.h"
#include "support/support.h"
#include "verbs.h"

namespace sieve::test {
namespace {

// All of the library's terms: term("name"), term("name", "value") and rerun({{"name", ...}, ...})
// in its source.
std::set<std::string> terms_of_library() {
  const std::regex call(R"re(\bterm\("([^"]+)"(?:,\s*"([^"]+)")?\))re");
  const std::regex again(R"re(\brerun\(\{([^;]*?)\}\))re"), setting(R"re(\{"([^"]+)",)re");
  std::set<std::string> terms;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(project_folder() + "/src")) {
    if (file.path().extension() != ".cpp") continue;
    const std::string source = read_file(file.path().string());
    for (std::sregex_iterator at(source.begin(), source.end(), call), end; at != end; ++at)
      terms.insert((*at)[1].str() + ((*at)[2].matched ? "=" + (*at)[2].str() : ""));
    for (std::sregex_iterator at(source.begin(), source.end(), again), end; at != end; ++at) {
      const std::string settings = (*at)[1];
      for (std::sregex_iterator one(settings.begin(), settings.end(), setting); one != end; ++one)
        terms.insert((*one)[1]);
    }
  }
  return terms;
}

bool is_flag_of_a_verb(const std::string& flag) {
  return std::ranges::any_of(all_verbs(), [&](const Verb& verb) {
    return std::ranges::find(verb.options, flag.substr(2), &Option::key) != verb.options.end();
  });
}

bool is_setting_of_reading(const std::string& term) {
  const auto& table = read_setting_table();
  return std::ranges::find(table, term, &ReadSetting::term) != table.end();
}

bool is_verb(const std::string& name) {
  return std::ranges::find(all_verbs(), name, &Verb::name) != all_verbs().end();
}

TEST(CommandWords, has_a_row_for_every_term_of_the_library_and_no_others) {
  std::set<std::string> used;
  for (const std::string& term : terms_of_library()) {
    const std::string name = term.substr(0, term.find('='));
    const auto is_row = [&](const std::string& wanted) {
      return std::ranges::find(word_table(), wanted, &WordRow::term) != word_table().end();
    };
    EXPECT_NE(is_row(term) || is_row(name), is_setting_of_reading(name)) << term;
    used.insert(is_row(term) ? term : name);
  }
  EXPECT_GT(used.size(), 20U);
  for (const WordRow& row : word_table()) EXPECT_TRUE(used.contains(row.term)) << row.term;
}

TEST(CommandWords, are_flags_and_verbs_that_there_are) {
  const std::regex part(R"((--[a-z-]+)|sieve ([a-z]+))");
  for (const WordRow& row : word_table()) {
    const std::string words = row.words;
    std::sregex_iterator at(words.begin(), words.end(), part), end;
    EXPECT_NE(at, end) << words;
    for (; at != end; ++at) {
      const bool is_flag = (*at)[1].matched;
      EXPECT_TRUE(is_flag ? is_flag_of_a_verb((*at)[1]) : is_verb((*at)[2])) << words;
    }
  }
}

TEST(CommandWords, say_the_flag_of_every_setting_of_reading) {
  for (const ReadSetting& row : read_setting_table()) {
    const std::string flag = command_words({row.term, ""});
    EXPECT_EQ(flag, "--" + row.option.key);
    EXPECT_TRUE(is_flag_of_a_verb(flag)) << flag;
  }
}

TEST(CommandWords, put_a_value_after_its_flag) {
  EXPECT_EQ(command_words({"labels.count", "-n"}), "--label-count -n");
  EXPECT_EQ(command_words({"if_exists", "replace"}), "--force");
  EXPECT_EQ(command_words({"store", ""}), "--store");
  EXPECT_EQ(command_words({"ticks.merge_case", "true"}), "--merge-case");
  EXPECT_EQ(command_words({"header", "false"}), "--no-header");
}

TEST(CommandAgain, is_the_line_that_was_typed_with_the_settings_in_place_of_its_own) {
  remember_command({"inspect", "my data.csv", "--item-column", "a", "--annotations", "t.csv"});
  const Term item = {"ticks.item", "it's"};
  EXPECT_EQ(command_again({&item, 1}),
            "sieve inspect 'my data.csv' --annotations t.csv --item-column 'it'\\''s'");
  remember_command({"inspect", "--item-column=a", "--", "-x.csv"});
  EXPECT_EQ(command_again({&item, 1}), "sieve inspect --item-column 'it'\\''s' -- -x.csv");
}

TEST(CommandAgain, takes_out_earlier_names_too) {
  remember_command({"people", "--ticks-item", "a", "--ticks", "t.csv"});
  const Term item = {"ticks.item", "photo"};
  EXPECT_EQ(command_again({&item, 1}), "sieve people --ticks t.csv --item-column photo");
}

TEST(CommandAgain, is_nothing_where_the_verb_has_no_such_flag) {
  const Term item = {"ticks.item", "a"};
  remember_command({"methods"});
  EXPECT_EQ(command_again({&item, 1}), "");
  remember_command({});
  EXPECT_EQ(command_again({&item, 1}), "");
}

}  // namespace
}  // namespace sieve::test
