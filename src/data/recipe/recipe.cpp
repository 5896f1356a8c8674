#include "data/recipe/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "data/recipe/text_terms.h"
#include "data/text/text_kinds.h"
#include "labelsieve/dataset.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

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

namespace {

using Kind = RecipeColumn::Kind;

constexpr std::size_t kRowsAtOnce = 2048;

float median_of(std::vector<float>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 != 0) return *middle;
  return std::midpoint(*middle, *std::max_element(values.begin(), middle));
}

class RecipeLearner {
 public:
  RecipeLearner(const RawTable& table, const TableOptions& options,
                const std::vector<std::size_t>& rows, ThreadPool& pool)
      : table_(table),
        options_(options),
        rows_(rows),
        pool_(pool),
        texts_(table.texts, table.rows()) {}

  FeatureRecipe learn() {
    const std::vector<std::optional<Kind>> kinds = column_kinds(table_, options_);
    FeatureRecipe recipe{{}, options_.terms, options_.decimal, options_.thousands, rows_.size()};
    for (std::size_t j = 0; j < kinds.size(); ++j) {
      if (!kinds[j]) continue;
      RecipeColumn& column = recipe.columns.emplace_back();
      column.kind = *kinds[j];
      if (!table_.names.empty()) column.name = table_.names[j];
      if (column.kind == Kind::Text)
        learn_terms(j, column);
      else if (column.kind == Kind::Category)
        learn_values(j, column);
      else
        learn_median(j, column);
      column.marks_missing = column.missing != 0 && column.kind != Kind::Text;
    }
    return recipe;
  }

 private:
  // Calls visit(text) for the text of a cell, visit(number) for a number, or counts it as missing.
  template <class Text, class Number>
  bool look_at(std::size_t row, std::size_t column, const Text& text, const Number& number) const {
    bool found = false;
    texts_.for_each(row, [&](const CellTexts::Cell& cell, std::string_view content) {
      if (cell.column == column) found = true, text(content);
    });
    if (found) return true;
    const float value = table_.numbers(row, column);
    if (std::isnan(value)) return false;
    number(value);
    return true;
  }

  void learn_median(std::size_t j, RecipeColumn& column) const {
    std::vector<float> values;
    values.reserve(rows_.size());
    for (const std::size_t row : rows_) {
      const bool there = look_at(
          row, j,
          [&](std::string_view text) {
            values.push_back(static_cast<float>(days_of_date(text).value_or(0)));
          },
          [&](float number) { values.push_back(number); });
      column.missing += !there;
    }
    column.fill = median_of(values);
  }

  void learn_values(std::size_t j, RecipeColumn& column) const {
    std::map<std::string, std::size_t> values;
    for (const std::size_t row : rows_) {
      const bool there = look_at(
          row, j, [&](std::string_view text) { ++values[std::string(text)]; },
          [&](float) { ++values[table_.number_text(row, j)]; });
      column.missing += !there;
    }
    column.fill = kComparesText;
    column.hashed = values.size() > options_.most_values;
    if (!column.hashed)
      for (const auto& [value, count] : values) column.values.push_back(value);
  }

  // ---- text ------------------------------------------------------------------------------------

  float weight(std::size_t rows_with_it) const {
    return static_cast<float>(std::log((1 + static_cast<double>(rows_.size())) /
                                       (1 + static_cast<double>(rows_with_it))) +
                              1);
  }

  // Calls count(block, row, text) for the texts of a column, several blocks at once, and
  // merge(block) for each block in order.
  template <class Block, class Count, class Merge>
  void in_blocks(std::size_t j, const Count& count, const Merge& merge) const {
    const std::size_t round = kRowsAtOnce * 4 * pool_.size();
    for (std::size_t from = 0; from < rows_.size(); from += round) {
      const std::size_t here = std::min(round, rows_.size() - from);
      std::vector<Block> blocks((here + kRowsAtOnce - 1) / kRowsAtOnce);
      pool_.for_each(blocks.size(), [&](std::size_t b) {
        TermFinder finder(options_.terms);
        const std::size_t first = from + b * kRowsAtOnce;
        const std::size_t last = std::min(first + kRowsAtOnce, from + here);
        for (std::size_t k = first; k < last; ++k)
          look_at(
              rows_[k], j, [&](std::string_view text) { count(blocks[b], k, finder, text); },
              [&](float) { count(blocks[b], k, finder, table_.number_text(rows_[k], j)); });
      });
      for (const Block& block : blocks) merge(block);
    }
  }

  void learn_terms(std::size_t j, RecipeColumn& column) const {
    if (options_.terms.terms == 0) return learn_hashed_terms(j, column);
    TermCounts all;
    in_blocks<TermCounts>(
        j,
        [](TermCounts& counts, std::size_t k, TermFinder& finder, std::string_view text) {
          finder.for_each(text, [&](const TextTerm& term) { counts.add(term, k); });
        },
        [&](const TermCounts& counts) { all.add(counts); });
    for (TermCounts::Count& count : all.most_frequent(options_.terms.terms)) {
      column.values.push_back(std::move(count.term));
      column.weights.push_back(weight(count.rows));
    }
    if (column.values.empty())
      throw Error(Failure::Data, table_.describe(j) + " has no words in it", {table_.path, 0, 0},
                  "check " + term("table.text"));
  }

  // In how many rows of a block each bucket occurs, and the row in which it was seen last, from 1.
  struct BucketCounts {
    std::vector<std::uint32_t> rows, last;
  };

  void learn_hashed_terms(std::size_t j, RecipeColumn& column) const {
    const std::size_t buckets = std::size_t{1} << options_.terms.hash_bits;
    std::vector<std::size_t> rows_with(buckets);
    in_blocks<BucketCounts>(
        j,
        [&](BucketCounts& counts, std::size_t k, TermFinder& finder, std::string_view text) {
          counts.rows.resize(buckets);
          counts.last.resize(buckets);
          const auto mark = static_cast<std::uint32_t>(k % kRowsAtOnce + 1);
          finder.for_each(text, [&](const TextTerm& term) {
            const std::size_t bucket = term.hash & (buckets - 1);
            counts.rows[bucket] += counts.last[bucket] != mark;
            counts.last[bucket] = mark;
          });
        },
        [&](const BucketCounts& counts) {
          for (std::size_t b = 0; b < counts.rows.size(); ++b) rows_with[b] += counts.rows[b];
        });
    column.hashed = true;
    const float unseen = weight(0), once = weight(1);  // most are
    for (const std::size_t count : rows_with)
      column.weights.push_back(count > 1 ? weight(count) : count == 1 ? once : unseen);
  }

  const RawTable& table_;
  const TableOptions& options_;
  const std::vector<std::size_t>& rows_;
  ThreadPool& pool_;
  CellTexts::ByRow texts_;
};

}  // namespace

std::vector<std::size_t> all_rows(const RawTable& table) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

FeatureRecipe learn_recipe(const RawTable& table, const TableOptions& options,
                           const std::vector<std::size_t>& rows, ThreadPool* pool) {
  ThreadPool alone(1);
  return RecipeLearner(table, options, rows, pool != nullptr ? *pool : alone).learn();
}

}  // namespace sieve
