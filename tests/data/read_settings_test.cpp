#include "data/read_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "labelsieve/error.h"

namespace sieve::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string problem_of(const std::string& name, const GivenValue& value, ReadSettings& all) {
  return put_checked(*find_setting(read_setting_table(), name), all, value);
}

// What a default of the table makes of the options, and what they are by themselves.
template <class All>
bool takes_the_default(const SettingRow<All>& row, auto field) {
  All all;
  return put_checked(row, all, typed_value(row.option, row.option.default_value)).empty() &&
         field(all) == field(All{});
}

TEST(ReadSettings, have_one_row_for_each_name) {
  std::set<std::string> terms, keys;
  for (const ReadSetting& row : read_setting_table()) {
    EXPECT_TRUE(terms.insert(row.term).second) << row.term;
    EXPECT_TRUE(keys.insert(row.option.key).second) << row.option.key;
    for (const std::string& earlier : row.aliases)
      EXPECT_TRUE(keys.insert(earlier).second) << earlier;
    EXPECT_FALSE(row.option.help.empty()) << row.option.key;
  }
  EXPECT_GT(terms.size(), 35U);
}

TEST(ReadSettings, name_each_other_by_keys_that_there_are) {
  for (const ReadSetting& row : read_setting_table()) {
    named_help(row.option.help, [&](const std::string& key) {
      EXPECT_NE(find_setting(read_setting_table(), key), nullptr) << key;
      return key;
    });
    EXPECT_TRUE(row.needs.empty() || find_setting(read_setting_table(), row.needs) != nullptr);
  }
}

TEST(ReadSettings, keep_the_commas_of_a_statement_that_gives_annotations) {
  const ReadSetting& row = *find_setting(read_setting_table(), "ticks.path");
  ReadSettings all;
  EXPECT_EQ(put_checked(row, all, typed_value(row.option, "no.csv,sql:SELECT item, label FROM t")),
            "");
  EXPECT_EQ(all.options.ticks.path, "no.csv\nsql:SELECT item, label FROM t");
}

TEST(ReadSettings, say_the_defaults_that_the_options_have) {
  const auto same = [](const char* term, auto field) {
    EXPECT_TRUE(takes_the_default(*find_setting(read_setting_table(), term), field)) << term;
  };
  same("role", [](const ReadSettings& all) { return all.options.role; });
  same("header", [](const ReadSettings& all) { return all.options.header; });
  same("labels.separator", [](const ReadSettings& all) { return all.options.labels.separator; });
  same("table.terms.terms", [](const ReadSettings& all) { return all.options.table.terms; });
  same("table.terms.char_grams", [](const ReadSettings& all) { return all.options.table.terms; });
  same("table.terms.pairs", [](const ReadSettings& all) { return all.options.table.terms; });
  same("table.decimal", [](const ReadSettings& all) { return all.options.table.decimal; });
  std::size_t defaults = 0;
  for (const ReadSetting& row : read_setting_table()) defaults += !row.option.default_value.empty();
  EXPECT_EQ(defaults, 7U) << "a new default belongs into this test";
}

TEST(ReadSettings, are_found_by_term_key_and_earlier_key) {
  for (const char* name :
       {"ticks.item", "item-column", "item_column", "ticks-item", "ticks_item"}) {
    const ReadSetting* row = find_setting(read_setting_table(), name);
    ASSERT_NE(row, nullptr) << name;
    EXPECT_EQ(row->term, "ticks.item");
  }
  EXPECT_EQ(find_setting(read_setting_table(), "item"), nullptr);
}

TEST(ReadSettings, put_words_into_fields) {
  ReadSettings all;
  EXPECT_EQ(problem_of("delimiter", {{"tab"}}, all), "");
  EXPECT_EQ(problem_of("id_column", {{"none"}}, all), "");
  EXPECT_EQ(problem_of("text_column", {{"a", "b"}, true}, all), "");
  EXPECT_EQ(problem_of("labels_are", {{"truth"}}, all), "");
  EXPECT_EQ(problem_of("header", {{"off"}}, all), "");
  EXPECT_EQ(all.options.delimiter, '\t');
  EXPECT_EQ(all.options.id_column, "");
  EXPECT_THAT(all.options.table.text, ElementsAre("a", "b"));
  EXPECT_EQ(all.options.role, LabelRole::Truth);
  EXPECT_EQ(all.options.header, false);
}

TEST(ReadSettings, say_what_is_wrong_with_a_value) {
  ReadSettings all;
  EXPECT_THAT(problem_of("label-count", {{"two"}}, all), HasSubstr("not a whole number"));
  EXPECT_THAT(problem_of("char-ngrams", {{"17"}}, all), HasSubstr("out of range: 0 to 16"));
  EXPECT_THAT(problem_of("labels-are", {{"wrong"}}, all), HasSubstr("candidates, truth"));
  EXPECT_THAT(problem_of("decimal", {{";"}}, all), HasSubstr("must be '.' or ','"));
  EXPECT_THAT(problem_of("thousands", {{"ab"}}, all), HasSubstr("not one character"));
  EXPECT_THAT(problem_of("header", {{"perhaps"}}, all), HasSubstr("neither true nor false"));
}

TEST(SynthSettings, say_the_defaults_that_the_options_have) {
  SynthOptions all;
  for (const auto& row : synth_setting_table())
    EXPECT_EQ(row.term == "votes" ? "" : put_checked(row, all, {{row.option.default_value}}), "")
        << row.term;
  const SynthOptions none;
  EXPECT_EQ(all.rows, none.rows);
  EXPECT_EQ(all.features, none.features);
  EXPECT_EQ(all.entries, none.entries);
  EXPECT_EQ(all.labels, none.labels);
  EXPECT_EQ(all.annotators, none.annotators);
  EXPECT_EQ(all.annotators_per_row, none.annotators_per_row);
  EXPECT_EQ(all.cardinality, none.cardinality);
  EXPECT_EQ(all.noise, none.noise);
  EXPECT_EQ(all.seed, none.seed);
  EXPECT_EQ(all.missing, none.missing);
}

}  // namespace
}  // namespace sieve::test
