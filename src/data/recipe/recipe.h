#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/recipe/table.h"
#include "data/recipe/text_terms.h"
#include "labelsieve/data_io.h"
#include "labelsieve/dataset.h"
#include "labelsieve/threads.h"

namespace sieve {

// What each column of a table is: what the options say, else numbers if most of its cells are
// numbers, else categories if its texts repeat. Nothing for names of pictures and sounds: no
// features are made of them. Error(Data) for cells that do not fit (they are
// counted, and the first five shown) and for a column of text or dates that nobody has named.
std::vector<std::optional<RecipeColumn::Kind>> column_kinds(const RawTable& table,
                                                            const TableOptions& options);

// Features of a category that has too many values for one each.
constexpr std::size_t kCategoryBuckets = 256;
// RecipeColumn::fill of a category whose values are compared as they are written.
constexpr float kComparesText = 1;

// 0, 1, ... as many as there are rows.
std::vector<std::size_t> all_rows(const RawTable& table);

// Decides what the columns of a table are, by the options and by their cells, and learns from the
// given rows what it takes to make features of them. What it learns does not depend on the number
// of threads. Error(Data) counts and shows cells that do not fit, or names a column that has to be
// told what it is.
FeatureRecipe learn_recipe(const RawTable& table, const TableOptions& options,
                           const std::vector<std::size_t>& rows, ThreadPool* pool);

// Whether the values of a category are compared as they are written. In models of 0.2.0, a number
// in any spelling is one and the same, and 32 bits wide.
bool compares_text(const RecipeColumn& category);

// Which feature a term has, by its hash.
class TermIndex {
 public:
  TermIndex() = default;
  explicit TermIndex(const std::vector<std::string>& terms);
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t find(std::uint64_t hash) const;

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t feature = kNone;
  };
  std::vector<Slot> slots_;
};

// Makes features of tables by a recipe. Safe to share between threads.
class RecipeUse {
 public:
  explicit RecipeUse(std::shared_ptr<const FeatureRecipe> recipe);

  const FeatureRecipe& recipe() const { return *recipe_; }
  // Where the columns of the recipe are among those of a table with these names (or none, and
  // `count` columns). Error(Data) if one is not there.
  std::vector<std::size_t> places(const std::vector<std::string>& names, std::size_t count,
                                  const std::string& path) const;
  // The features of the rows. Error(Data) for a cell that does not fit its column. `pool` and
  // `tally` may be null.
  Features features(const RawTable& table, const std::vector<std::size_t>& places, ThreadPool* pool,
                    RecipeTally* tally) const;

 private:
  friend class RowMaker;
  struct Column {
    std::size_t first = 0;  // feature
    std::size_t width = 0;
    std::unordered_map<std::string, std::size_t> values;  // category
    TermIndex terms;
  };
  std::shared_ptr<const FeatureRecipe> recipe_;
  std::vector<Column> columns_;
};

// What the recipe of the options makes of tables that come block by block; false without one.
class BlockRecipe {
 public:
  BlockRecipe(const ReadOptions& options, std::vector<std::string> names, std::size_t columns,
              const std::string& path);
  explicit operator bool() const { return use_ != nullptr; }
  // Of one block; safe to call from several threads.
  Features features(Matrix numbers, CellTexts texts, Spellings spellings = {}) const;

 private:
  std::unique_ptr<const RecipeUse> use_;
  std::vector<std::size_t> places_;
  std::vector<std::string> names_;
  const std::string& path_;
  RecipeTally* tally_;
};

// The set with its features: those of the reader, or made of its table by the recipe of the
// options, or by one that is learnt from it.
Dataset with_features(RawSet set, const ReadOptions& options);
// The same for a model, which learns no more: without a recipe a table is refused, Error(Data) with
// the place of a missing value.
Dataset with_known_features(RawSet set, const ReadOptions& options);

}  // namespace sieve
