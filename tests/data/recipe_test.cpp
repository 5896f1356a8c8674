#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "csv_support.h"
#include "data/recipe/text_terms.h"
#include "data/text/text_kinds.h"
#include "support/support.h"

// Tables that are not all numbers, and what is learnt from them.
namespace sieve {
namespace {

using test::from_csv;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<float> row_of(const Dataset& data, std::size_t row) {
  std::vector<float> values(data.features.cols());
  data.features.copy_row(row, values);
  return values;
}

std::string refusal_of(const std::string& text, const ReadOptions& options = {}) {
  int code = 0;
  std::string message = test::refusal([&] { from_csv(text, options); }, &code);
  EXPECT_EQ(code, 3) << message;
  return message;
}

// What `recipe` makes of another table, as predict does it.
Features made_by(const Dataset& learnt, const std::string& text, RecipeTally* tally = nullptr) {
  ReadOptions options;
  options.labels.optional = true;
  options.recipe = learnt.recipe;
  options.tally = tally;
  Features all;
  test::MemoryInput in(text);
  read_csv_features(in, "new.csv", options, 0, [&](FeatureBlock& block) {
    EXPECT_EQ(block.names, learnt.feature_names);
    all = block.features;
    return [] {};
  });
  return all;
}

constexpr const char* kAnnotators =
    "age,colour,label:x\n10,red,1\n,blue,0\n30,red,0\nNA,?,1\n20,blue,1\n40,red,0\n";

TEST(Recipe, fills_gaps_by_the_median_and_marks_them) {
  const Dataset data = from_csv(kAnnotators);
  ASSERT_TRUE(data.recipe);
  EXPECT_THAT(data.feature_names, ElementsAre("age", "age is missing", "colour=blue", "colour=red",
                                              "colour is missing"));
  EXPECT_THAT(row_of(data, 0), ElementsAre(10, 0, 0, 1, 0));
  EXPECT_THAT(row_of(data, 1), ElementsAre(25, 1, 1, 0, 0));
  EXPECT_THAT(row_of(data, 3), ElementsAre(25, 1, 0, 0, 1));
  EXPECT_EQ(data.labels(), 1U);
  EXPECT_THAT(notes_on(*data.recipe),
              ElementsAre("missing values filled in by the median, with a feature that marks "
                          "them: age 2",
                          "categories: colour with 2 values (1 missing)"));
}

TEST(Recipe, is_not_needed_for_numbers) {
  const Dataset data = from_csv("a,b,label:x\n1,2,1\n3,4,0\n");
  EXPECT_FALSE(data.recipe);
  EXPECT_THAT(data.feature_names, ElementsAre("a", "b"));
}

TEST(Recipe, makes_the_same_features_of_the_same_table_later) {
  const Dataset data = from_csv(kAnnotators);
  RecipeTally tally;
  const Features again = made_by(data, kAnnotators, &tally);
  EXPECT_TRUE(same_values(again, data.features));
  EXPECT_EQ(tally.missing, 3U);
  EXPECT_EQ(tally.unseen, 0U);
}

TEST(Recipe, takes_columns_by_name_and_passes_over_others) {
  const Dataset data = from_csv(kAnnotators);
  RecipeTally tally;
  const Features x = made_by(data, "note,colour,age\nhm hm,red,7\nany,green,\n", &tally);
  std::vector<float> row(5);
  x.copy_row(0, row);
  EXPECT_THAT(row, ElementsAre(7, 0, 0, 1, 0));
  x.copy_row(1, row);
  EXPECT_THAT(row, ElementsAre(25, 1, 0, 0, 0));
  EXPECT_EQ(tally.missing, 1U);
  EXPECT_EQ(tally.unseen, 1U);
  EXPECT_THAT(tally.ignored, ElementsAre("note"));
}

TEST(Recipe, names_a_column_that_is_not_there_and_a_cell_that_does_not_fit) {
  const Dataset data = from_csv(kAnnotators);
  EXPECT_THAT(test::refusal([&] { made_by(data, "colour\nred\n"); }),
              StartsWith("new.csv: the model needs columns that are not there: 'age'"));
  EXPECT_THAT(test::refusal([&] { made_by(data, "x,y\n1,2\n"); }),
              StartsWith("new.csv: the model needs columns that are not there: 'age', 'colour'"));
  EXPECT_THAT(test::refusal([&] { made_by(data, "age,colour\n1,red\nold,red\n"); }),
              StartsWith("new.csv:3:1: 'old' is not a number in column 'age'"));
  EXPECT_THAT(test::refusal([&] { made_by(data, "age,colour\ninf,red\n"); }),
              StartsWith("new.csv:2:1: 'inf' is not a finite number"));
}

TEST(Recipe, is_learnt_from_the_chosen_rows_alone) {
  ReadOptions options;
  options.learn_from = [](const Dataset& data) {
    EXPECT_EQ(data.labels(), 1U);
    return std::vector<std::size_t>{0, 2};
  };
  const Dataset data = from_csv(kAnnotators, options);
  EXPECT_THAT(data.feature_names, ElementsAre("age", "colour=red"));
  EXPECT_THAT(row_of(data, 1), ElementsAre(20, 0));
  EXPECT_EQ(data.recipe->rows, 2U);
}

TEST(Recipe, hashes_categories_of_many_values) {
  std::string text = "city,label:x\n";
  for (int i = 0; i < 300; ++i) text += "c" + std::to_string(i % 150) + ",1\n";
  const Dataset data = from_csv(text);
  EXPECT_EQ(data.features.cols(), 256U);
  EXPECT_EQ(data.features.nonzeros(), 300U);
  EXPECT_EQ(row_of(data, 3), row_of(data, 153));
}

TEST(Recipe, a_category_that_is_a_number_is_what_is_written) {
  ReadOptions options;
  options.table.category = {"zip"};
  const Dataset data = from_csv("zip,label:x\n07,1\n7.0,1\nx,0\n", options);
  EXPECT_THAT(data.feature_names, ElementsAre("zip=07", "zip=7.0", "zip=x"));
  RecipeTally tally;
  const Features made = made_by(data, "zip,b\n7.0,1\n7,1\n", &tally);
  std::vector<float> row(3);
  made.copy_row(0, row);
  EXPECT_THAT(row, ElementsAre(0, 1, 0));
  EXPECT_EQ(tally.unseen, 1U);
}

TEST(Recipe, of_0_2_0_takes_a_number_in_any_spelling_for_one_category) {
  ReadOptions options;
  options.table.category = {"zip"};
  Dataset data = from_csv("zip,label:x\n7,1\n1.7e+09,1\nx,0\n", options);
  FeatureRecipe old = *data.recipe;
  old.columns[0].fill = 0;
  data.recipe = std::make_shared<const FeatureRecipe>(old);
  RecipeTally tally;
  EXPECT_EQ(made_by(data, "zip,b\n07,1\n7.0,1\n1700000011,1\n", &tally).nonzeros(), 3U);
  EXPECT_EQ(tally.unseen, 0U);
}

TEST(Recipe, a_column_of_text_is_not_a_missing_value) {
  const std::string message = refusal_of("note,b,label:x\nimg_0,1,1\nimg_1,2,0\nimg_2,3,0\n");
  EXPECT_THAT(message, StartsWith("t.csv: column 'note' is text, and most of it does not "
                                  "repeat, as in 'img_0'"));
  EXPECT_THAT(message, HasSubstr("name it with id_column, table.text or table.category, or "
                                 "leave it out with table.ignore"));
}

TEST(Recipe, columns_that_nobody_named_are_asked_about_at_once) {
  const std::string message =
      refusal_of("note,b,code,label:x\nimg_0,1,a,1\nimg_1,2,b,0\nimg_2,3,c,0\n");
  EXPECT_THAT(message, HasSubstr("column 'note' is text"));
  EXPECT_THAT(message, HasSubstr("column 'code' is text"));
  EXPECT_THAT(message, HasSubstr("table.ignore=note,code"));
}

TEST(Recipe, a_column_of_texts_that_do_not_repeat_is_text_by_its_words) {
  std::vector<std::string> notes;
  ReadOptions options;
  options.notes = &notes;
  const Dataset data = from_csv(
      "note,b,label:x\nwaves at the sea,1,1\nleaves in a wood,2,0\n\"sea, sea\",3,0\n", options);
  EXPECT_EQ(data.recipe->columns[0].kind, RecipeColumn::Kind::Text);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("column 'note' holds texts")));
}

TEST(Recipe, columns_can_be_left_out) {
  ReadOptions options;
  options.table.ignore = {"item_id", "c"};
  const Dataset data =
      from_csv("item_id,b,c,label:x\nimg_0,1,a,1\nimg_1,2,?,0\nimg_2,3,zzz,0\n", options);
  EXPECT_THAT(data.feature_names, ElementsAre("b"));
  EXPECT_THAT(row_of(data, 2), ElementsAre(3));
  options.table.ignore = {"itemid"};
  int code = 0;
  EXPECT_THAT(test::refusal([&] { from_csv("item_id,label:x\n1,1\n", options); }, &code),
              HasSubstr("the nearest name in the file is 'item_id'"));
  EXPECT_EQ(code, 2);
}

TEST(Recipe, dates_are_refused_or_taken_as_days) {
  const std::string text = "day,label:x\n1970-01-02,1\n2000-02-29 12:00,0\n,0\n1970-01-02,1\n";
  EXPECT_THAT(refusal_of(text), StartsWith("t.csv: column 'day' holds dates\n  take them as "
                                           "numbers with table.date"));
  EXPECT_THAT(refusal_of("day,label:x\n1/5/2024,1\n1/5/2024,0\n"), HasSubstr("holds dates"));
  ReadOptions options;
  options.table.date = {"day"};
  const Dataset data = from_csv(text, options);
  EXPECT_THAT(row_of(data, 0), ElementsAre(1, 0));
  EXPECT_THAT(row_of(data, 1), ElementsAre(11016.5F, 0));
  EXPECT_THAT(row_of(data, 2), ElementsAre(1, 1));
  EXPECT_THAT(refusal_of("day,label:x\n2023-02-29,1\n", options),
              StartsWith("t.csv:2:1: '2023-02-29' is not a date"));
  EXPECT_EQ(days_of_date("1969-12-31"), -1.0);
  for (const char* wrong : {"", "1970", "1970-1-2", "1970-01-02x", "1970-13-01", "1970-01-02T25:00",
                            "1970-01-02 10:00:99", "+970-01-02"})
    EXPECT_FALSE(days_of_date(wrong)) << wrong;
}

TEST(Recipe, a_date_that_does_not_begin_with_the_year_asks_which_number_is_the_month) {
  const std::string text = "day,label:x\n03/04/2024,1\n05/04/2024,0\n";
  const std::string unclear = "it does not say which number is the day and which the month";
  EXPECT_THAT(refusal_of(text), HasSubstr("holds dates, as in '03/04/2024'\n  " + unclear));
  ReadOptions options;
  options.table.date = {"day"};
  const std::string message = refusal_of(text, options);
  EXPECT_THAT(message, HasSubstr("'03/04/2024' is not a date as in 2024-05-31"));
  EXPECT_THAT(message, HasSubstr(unclear));
  EXPECT_THAT(message, HasSubstr("pandas.read_csv('t.csv', dtype=str); t['day'] = "
                                 "pandas.to_datetime(t['day'], dayfirst=True)"));
  EXPECT_THAT(refusal_of("day,label:x\n2024/04/03,1\n", options), Not(HasSubstr("dayfirst")));
  EXPECT_THAT(refusal_of("n,label:x\n1,1\n2,0\n03/04/2024,0\n"),
              HasSubstr("it looks like a date, but most of this column are numbers"));
}

TEST(Recipe, a_decimal_point_beside_decimal_commas_is_named_as_that) {
  ReadOptions options;
  options.table.decimal = ',';
  const std::string message = refusal_of("a;label:x\n1,5;1\n2.5;0\n", options);
  EXPECT_THAT(message, StartsWith("t.csv:3:1: '2.5' has the wrong decimal mark"));
  EXPECT_THAT(message, HasSubstr("table.decimal says that ',' is the decimal mark"));
  EXPECT_THAT(refusal_of("a;label:x\n1.5;1\n1.5;0\n", options), HasSubstr("decimal mark"))
      << "numbers that repeat are no categories";
  const Dataset learnt = from_csv("a;label:x\n1,5;1\n3;0\n", options);
  EXPECT_THAT(test::refusal([&] { made_by(learnt, "a;b\n2.5;1\n"); }),
              HasSubstr("'2.5' has the wrong decimal mark"));
}

TEST(Recipe, decimal_commas_are_not_categories) {
  const std::string text = "price,label:x\n\"1,5\",1\n\"1,5\",0\n\"-2,25\",0\n\"-2,25\",1\n";
  EXPECT_THAT(refusal_of(text),
              StartsWith("t.csv: column 'price' holds numbers with a comma, as in '1,5'\n  for a "
                         "decimal comma give table.decimal=,"));
  ReadOptions options;
  options.table.category = {"price"};
  EXPECT_EQ(from_csv(text, options).features.cols(), 2U);
}

TEST(Recipe, decimal_commas_are_asked_about_at_once_with_the_marks_between_digits) {
  const std::string text =
      "nr;width;weight;label:x\nP1;1,5;1.000,5;1\nP2;2,5;2.000,25;0\nP3;3,5;12,5;1\n";
  const std::string message = refusal_of(text);
  EXPECT_THAT(message, StartsWith("t.csv: column 'width' and 1 more hold numbers with a comma"));
  EXPECT_THAT(message, HasSubstr("table.decimal=, and table.thousands=."));
  EXPECT_THAT(message, HasSubstr("table.category=width,weight"));
  ReadOptions options;
  options.table.decimal = ',';
  EXPECT_THAT(refusal_of(text, options), HasSubstr("column 'weight' holds numbers with a comma"));
  options.table.thousands = '.';
  EXPECT_THAT(refusal_of(text, options), HasSubstr("if 'nr' names the rows: "));
}

TEST(Recipe, names_of_pictures_alone_are_no_features) {
  const Dataset data = from_csv("image,label:x\na.png,1\nb.png,0\nc.png,1\n");
  EXPECT_EQ(data.features.cols(), 0U);
  EXPECT_EQ(data.rows(), 3U);
}

TEST(Recipe, texts_that_are_not_utf_8_are_noted) {
  std::vector<std::string> notes;
  ReadOptions options;
  options.notes = &notes;
  options.table.text = {"t"};
  from_csv(
      "t,label:x\ngr\xFCne Stra\xDF"
      "e,1\nrote Wiese,0\n",
      options);
  EXPECT_THAT(notes, ::testing::Contains(HasSubstr("1 texts are not UTF-8")));
  notes.clear();
  from_csv("t,label:x\ngrüne Straße,1\nrote Wiese,0\n", options);
  EXPECT_THAT(notes, ::testing::Not(::testing::Contains(HasSubstr("UTF-8"))));
}

TEST(Recipe, decimal_commas_and_thousands) {
  ReadOptions options;
  options.table.decimal = ',';
  options.table.thousands = '.';
  const std::string text = "a;b;label:x\n1,5;1.234.567,25;1\n-0,25;12;0\n";
  const Dataset data = from_csv(text, options);
  EXPECT_THAT(row_of(data, 0), ElementsAre(1.5F, 1234567.25F));
  EXPECT_THAT(row_of(data, 1), ElementsAre(-0.25F, 12));
  EXPECT_TRUE(same_values(made_by(data, text), data.features)) << "the recipe knows the marks";
  EXPECT_THAT(refusal_of("a;label:x\n1,5;1\n2,5;1\n12.34,5;0\n", options),
              StartsWith("t.csv:4:1: '12.34,5' is not a number"));
}

TEST(Recipe, an_empty_column_and_one_without_names) {
  const Dataset data = from_csv("a,b,label:x\n1,,1\n2,,0\n");
  EXPECT_THAT(row_of(data, 0), ElementsAre(1, 0, 1));
  ReadOptions options;
  options.labels.count = -1;
  options.header = false;
  const Dataset nameless = from_csv("1,,0\n2,5,1\n", options);
  EXPECT_THAT(row_of(nameless, 0), ElementsAre(1, 5, 1));
  EXPECT_TRUE(nameless.feature_names.empty());
}

TEST(Recipe, two_files_of_a_set_share_one) {
  const test::TempFolder folder;
  test::write_file(folder / "a-train.csv", "age,colour,label:x\n1,red,1\n2,red,0\n");
  test::write_file(folder / "a-test.csv", "age,colour,label:x\n,blue,1\n5,blue,0\n");
  const Dataset data = read_dataset({folder.path()});
  EXPECT_THAT(data.feature_names,
              ElementsAre("age", "age is missing", "colour=blue", "colour=red"));
  EXPECT_THAT(row_of(data, 2), ElementsAre(2, 1, 1, 0));
}

TEST(Recipe, the_number_of_threads_does_not_matter) {
  std::string text = "a,words,label:x\n";
  for (int i = 0; i < 9000; ++i)
    text += (i % 7 == 0 ? std::string() : std::to_string(i % 11)) + ",\"w" +
            std::to_string(i % 977) + " and w" + std::to_string(i % 31) + "\",1\n";
  ReadOptions options;
  options.table.text = {"words"};
  const Dataset alone = from_csv(text, options);
  ThreadPool pool(3);
  options.threads = &pool;
  const Dataset shared = from_csv(text, options);
  EXPECT_TRUE(*alone.recipe == *shared.recipe);
  EXPECT_TRUE(same_values(alone.features, shared.features));
  EXPECT_TRUE(alone.features.is_sparse());
}

// ---- text ---------------------------------------------------------------------------------------

std::vector<std::string> terms_of(std::string_view text, const TextOptions& options = {}) {
  std::vector<std::string> terms;
  TermFinder finder(options);
  finder.for_each(text, [&](const TextTerm& term) {
    terms.push_back(term.text());
    EXPECT_EQ(term.hash, hash_of_term(term.text())) << term.text();
  });
  return terms;
}

TEST(Text, words_and_pairs_of_words_in_lower_case) {
  EXPECT_THAT(terms_of("Hello, big World!"),
              ElementsAre("hello", "big", "hello big", "world", "big world"));
  EXPECT_THAT(terms_of(" ,;\n"), ElementsAre());
  EXPECT_THAT(terms_of("a_1 B", {.pairs = false}), ElementsAre("a_1", "b"));
}

TEST(Text, case_is_folded_by_the_rules_of_unicode) {
  EXPECT_THAT(terms_of("STRASSE Straße", {.pairs = false}), ElementsAre("strasse", "strasse"));
  EXPECT_THAT(terms_of("\u00c9T\u00c9 e\u0301te\u0301", {.pairs = false}),
              ElementsAre("\u00e9t\u00e9", "\u00e9t\u00e9"));
  EXPECT_THAT(terms_of("\uff28\uff49 \u4f60\u597d\u3002\u4e16", {.pairs = false}),
              ElementsAre("hi", "\u4f60\u597d", "\u4e16"));
}

TEST(Text, bytes_that_are_not_utf8_separate_words) {
  EXPECT_THAT(terms_of("one\xfftwo \xc3", {.pairs = false}), ElementsAre("one", "two"));
  EXPECT_THAT(terms_of("\xed\xa0\x80x", {.pairs = false}), ElementsAre("x"));
}

TEST(Text, letters_within_words) {
  EXPECT_THAT(terms_of("ab", {.pairs = false, .char_grams = 3}),
              ElementsAre("ab", "~ a", "~ ab", "~ab", "~ab ", "~b "));
  EXPECT_THAT(terms_of("\u00e9", {.pairs = false, .char_grams = 2}),
              ElementsAre("\u00e9", "~ \u00e9", "~\u00e9 "));
}

// As scikit-learn's TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2,
// token_pattern=r"(?u)\b\w+\b") has them.
TEST(Text, weights_are_those_of_scikit_learn) {
  ReadOptions options;
  options.table.text = {"t"};
  const Dataset data = from_csv(
      "t,label:x\nThe cat sat on the mat,1\nthe dog sat,0\na cat and a dog,1\n,0\n", options);
  EXPECT_THAT(data.feature_names, ElementsAre("t: cat", "t: dog", "t: sat", "t: the"));
  const std::vector<float> row = row_of(data, 0);
  EXPECT_NEAR(row[0], 0.45329466F, 1e-6);
  EXPECT_EQ(row[1], 0);
  EXPECT_NEAR(row[2], 0.45329466F, 1e-6);
  EXPECT_NEAR(row[3], 0.76749457F, 1e-6);
  double length = 0;
  for (const float value : row) length += value * value;
  EXPECT_NEAR(length, 1, 1e-6);
  EXPECT_THAT(row_of(data, 3), ElementsAre(0, 0, 0, 0));
}

TEST(Text, keeps_the_most_frequent_terms_or_hashes_all) {
  const std::string text = "t,label:x\na b c,1\na b,0\na d,1\n";
  ReadOptions options;
  options.table.text = {"t"};
  options.table.terms.terms = 2;
  EXPECT_THAT(from_csv(text, options).feature_names, ElementsAre("t: a", "t: a b"));
  options.table.terms.terms = 0;
  const Dataset hashed = from_csv(text, options);
  EXPECT_EQ(hashed.features.cols(), 262144U);
  EXPECT_TRUE(hashed.feature_names.empty());
  EXPECT_EQ(hashed.features.nonzeros(), 11U);
  EXPECT_TRUE(same_values(made_by(hashed, text), hashed.features));
}

TEST(Text, long_texts_count_each_term_once) {
  std::string words;
  for (int i = 0; i < 900; ++i) words += "word" + std::to_string(i * 7 % 300) + " ";
  ReadOptions options;
  options.table.text = {"t"};
  for (const std::size_t terms : {0, 20000}) {
    options.table.terms.terms = terms;
    const Dataset data = from_csv("t,label:x\n" + words + ",1\n" + words + ",0\n", options);
    const std::vector<float> row = row_of(data, 0);
    const auto set = std::ranges::count_if(row, [](float value) { return value != 0; });
    EXPECT_EQ(data.features.nonzeros(), 2 * static_cast<std::size_t>(set));
    EXPECT_GT(set, 590);
    EXPECT_LE(set, 600);
  }
}

TEST(Text, folding_may_make_a_text_longer) {
  std::string text;  // U+FDFA becomes 18 letters
  for (int i = 0; i < 50; ++i) text += "\ufdfa Word ";
  const std::vector<std::string> terms = terms_of(text, {.pairs = false});
  ASSERT_EQ(terms.size() % 50, 0U);
  EXPECT_GT(terms.size(), 100U);
  EXPECT_EQ(terms[terms.size() / 50], terms[0]);
  EXPECT_EQ(terms.back(), "word");
}

TEST(Text, cells_may_hold_line_ends_and_quotes) {
  ReadOptions options;
  options.table.text = {"t"};
  const Dataset data =
      from_csv("t,label:x\n\"one\ntwo \"\"three\"\"\",1\n\"one two three\",0\n", options);
  EXPECT_EQ(row_of(data, 0), row_of(data, 1));
  EXPECT_EQ(data.features.cols(), 5U);
}

TEST(TermCounts, counts_a_term_once_per_row) {
  TermFinder finder({.pairs = false});
  TermCounts counts, more;
  finder.for_each("a a b", [&](const TextTerm& term) { counts.add(term, 0); });
  finder.for_each("a", [&](const TextTerm& term) { counts.add(term, 1); });
  finder.for_each("b", [&](const TextTerm& term) { more.add(term, 0); });
  counts.add(more);
  const auto all = counts.most_frequent(10);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].rows, 2U);
  EXPECT_EQ(all[1].rows, 2U);
}

}  // namespace
}  // namespace sieve
