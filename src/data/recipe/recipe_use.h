#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/recipe/table.h"
#include "data/recipe/text_terms.h"
#include "labelsieve/data_io.h"

namespace sieve {

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
