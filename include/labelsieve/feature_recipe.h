#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace sieve {

// Settings for features of text: its words and pairs of adjacent words, lower-cased by the rules of
// Unicode. Each is weighted by TF-IDF (1 + ln(count), times its inverse document frequency), and
// the terms of one text together have length 1.
struct TextOptions {
  std::size_t terms = 20000;   // the most frequent ones have a feature each; 0: all are hashed ...
  std::size_t hash_bits = 18;  // ... to this many bits
  bool pairs = true;
  std::size_t char_grams = 0;  // also up to this many letters in a row (from 2 on); 0: none
  friend bool operator==(const TextOptions&, const TextOptions&) = default;
};

// The kinds of columns of a table, where its cells do not show them. Columns go by name.
struct TableOptions {
  std::vector<std::string> text;      // free text
  std::vector<std::string> category;  // categories, though they may be numbers or seldom repeat
  std::vector<std::string> date;      // dates, as days since 1970-01-01
  std::vector<std::string> ignore;    // neither features nor labels
  TextOptions terms;                  // of text columns
  std::size_t most_values = 100;      // a category of more is hashed to 256 features
  char decimal = '.';
  char thousands = 0;  // between groups of three digits; 0: none
};

// How one column of a table becomes features.
struct RecipeColumn {
  enum class Kind { Number, Category, Text, Date };
  Kind kind = Kind::Number;
  std::string name;                 // empty where the table has no names
  float fill = 0;                   // number, date: the median; category: 1 if compared as text
  bool marks_missing = false;       // one more feature is 1 where the value is missing
  bool hashed = false;              // category: by hash; text: terms have no features of their own
  std::vector<std::string> values;  // category: one feature each; text: the terms, one each
  std::vector<float> weights;       // text: the inverse document frequency of each feature
  std::size_t missing = 0;          // values that were missing in the rows it was learnt from

  std::size_t width(const TextOptions& text) const;  // how many features it makes
  friend bool operator==(const RecipeColumn&, const RecipeColumn&) = default;
};

// The medians, categories, terms and weights learnt from the columns of a table. The model keeps
// them, and makes the features of new tables with them.
struct FeatureRecipe {
  std::vector<RecipeColumn> columns;  // in the order of their features
  TextOptions text;
  char decimal = '.', thousands = 0;
  std::size_t rows = 0;  // that it was learnt from

  std::size_t width() const;  // all features
  bool is_sparse() const;     // how its features are stored
  // One name per feature, as in "age", "age is missing", "colour=red", "review: great"; none where
  // terms are hashed or columns have no names.
  std::vector<std::string> feature_names() const;
  friend bool operator==(const FeatureRecipe&, const FeatureRecipe&) = default;
};

// The recipe in words, a sentence each: "filled in 3 missing values by the median of their column
// (age 2, height 1)".
std::vector<std::string> notes_on(const FeatureRecipe& recipe);

// Counts of unusual values when a recipe is used on new rows.
struct RecipeTally {
  std::atomic<std::size_t> missing{0};  // values that were filled in
  std::atomic<std::size_t> unseen{0};   // categories that were not there when it was learnt
  std::vector<std::string> ignored{};   // columns that it does not use
};

}  // namespace sieve
