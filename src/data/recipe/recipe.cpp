#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "data/recipe/learn_recipe.h"
#include "labelsieve/dataset.h"

namespace sieve {

using Kind = RecipeColumn::Kind;

std::size_t RecipeColumn::width(const TextOptions& text) const {
  if (kind == Kind::Text) return hashed ? std::size_t{1} << text.hash_bits : values.size();
  const std::size_t own = kind != Kind::Category ? 1 : hashed ? kCategoryBuckets : values.size();
  return own + (marks_missing ? 1 : 0);
}

std::size_t FeatureRecipe::width() const {
  std::size_t sum = 0;
  for (const RecipeColumn& column : columns) sum += column.width(text);
  return sum;
}

bool FeatureRecipe::is_sparse() const {
  constexpr std::size_t kWide = 256;  // below that it does not matter
  return width() > std::max(kWide, 4 * columns.size());
}

std::vector<std::string> FeatureRecipe::feature_names() const {
  std::vector<std::string> names;
  for (const RecipeColumn& column : columns) {
    if (column.name.empty() || (column.kind == Kind::Text && column.hashed)) return {};
    if (column.kind == Kind::Number || column.kind == Kind::Date) names.push_back(column.name);
    for (const std::string& value : column.values)
      names.push_back(column.name + (column.kind == Kind::Text ? ": " : "=") + value);
    if (column.kind == Kind::Category && column.hashed)
      for (std::size_t k = 0; k < kCategoryBuckets; ++k)
        names.push_back(column.name + "#" + std::to_string(k));
    if (column.marks_missing) names.push_back(column.name + " is missing");
  }
  // Names that no file could hold are no names.
  constexpr std::size_t kLongest = 4096;
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  const bool good =
      std::ranges::adjacent_find(sorted) == sorted.end() &&
      std::ranges::all_of(names, [](const std::string& name) { return name.size() <= kLongest; });
  return good ? names : std::vector<std::string>();
}

namespace {

// "age 2, height 1, ..." of the columns that `count` gives a number for.
template <class Count>
std::string list_columns(const FeatureRecipe& recipe, const Count& count) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> shown;
  std::size_t more = 0;
  for (std::size_t k = 0; k < recipe.columns.size(); ++k) {
    const RecipeColumn& column = recipe.columns[k];
    const std::string text = count(column);
    if (text.empty()) continue;
    if (shown.size() == kShown) {
      ++more;
      continue;
    }
    shown.push_back(fmt::format(
        "{} {}", column.name.empty() ? "column " + std::to_string(k + 1) : column.name, text));
  }
  if (shown.empty()) return {};
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

std::vector<std::string> notes_on(const FeatureRecipe& recipe) {
  std::vector<std::string> notes;
  const auto note = [&](const char* form, const std::string& columns) {
    if (!columns.empty()) notes.push_back(fmt::format(fmt::runtime(form), columns));
  };
  const auto number = [](std::size_t n) { return n == 0 ? "" : std::to_string(n); };
  note("missing values filled in by the median, with a feature that marks them: {}",
       list_columns(recipe, [&](const RecipeColumn& c) {
         return number(c.kind == Kind::Number || c.kind == Kind::Date ? c.missing : 0);
       }));
  note("categories: {}", list_columns(recipe, [&](const RecipeColumn& c) {
         if (c.kind != Kind::Category) return std::string();
         return (c.hashed ? fmt::format("hashed to {} features", kCategoryBuckets)
                          : fmt::format("with {} values", c.values.size())) +
                (c.missing == 0 ? "" : fmt::format(" ({} missing)", c.missing));
       }));
  note("text: {}", list_columns(recipe, [&](const RecipeColumn& c) {
         if (c.kind != Kind::Text) return std::string();
         return c.hashed ? fmt::format("hashed to {} features", c.width(recipe.text))
                         : fmt::format("with {} terms", c.values.size());
       }));
  note("dates as days since 1970: {}", list_columns(recipe, [](const RecipeColumn& c) {
         return c.kind == Kind::Date ? std::string("(date)") : std::string();
       }));
  return notes;
}

}  // namespace sieve
