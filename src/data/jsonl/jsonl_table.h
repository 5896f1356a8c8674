#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/csv/csv_columns.h"
#include "data/csv/csv_rows.h"
#include "data/recipe/recipe.h"
#include "data/table_source.h"
#include "data/text/text_lines.h"

namespace sieve {

// The keys of the objects as columns of a table: a number or a text is one column, a list of n
// numbers is n columns.
class JsonlKeys {
 public:
  struct Key {
    std::string name;                  // empty where each line is a list of numbers itself
    std::size_t first = 0, count = 1;  // its columns
    enum class Shape { Unknown, Scalar, Vector, Texts } shape = Shape::Unknown;
    bool is_ignored = false;
    bool has_numbers = false;  // Texts: labels that are whole numbers
    bool is_features = false;  // a vector all of whose columns are features, side by side
    // What the first lines hold, as far as it may be the ids of the rows.
    std::unordered_set<std::string> ids{};
    bool may_be_ids = true, are_numbers = true;
  };
  struct Column {
    CsvColumns::Kind kind;
    std::size_t index;  // among the columns of its kind
  };

  // Decides by the first lines, 64 KiB of them or one. Error(Data) if they are not JSON lines.
  JsonlKeys(LineSource& source, ReadOptions options);
  // The keys of columns with these names, x[0], x[1] and so on being one list, and of the id column
  // of the options; without names each line is a list of `columns` values. Other keys are passed
  // over.
  JsonlKeys(const std::vector<std::string>& names, std::size_t columns, const ReadOptions& options);

  // Null if there is none. `guess` is the place among all keys to try first; it moves on.
  const Key* find(std::string_view name, std::size_t& guess) const;
  std::size_t size() const { return keys_.size(); }
  std::size_t number_of(const Key& key) const {
    return static_cast<std::size_t>(&key - keys_.data());
  }
  const Column& column(std::size_t number) const { return kinds_[number]; }
  const CsvColumns& columns() const { return columns_; }
  bool lines_are_lists() const { return lines_are_lists_; }
  const Key& first() const { return keys_.front(); }
  // Where the labels stand in an object.
  SourceLayout source_layout(const std::string& separator) const;
  bool passes_over_new_keys() const { return passes_over_new_keys_; }

 private:
  void look_at(std::string_view line, const char* end, std::size_t number, const std::string& path,
               const ReadOptions& options);
  bool holds_ids(std::size_t column, IdName name) const;
  void choose_labels(ReadOptions& options, const std::string& path);
  void ignore_keys(ReadOptions& options);
  void add_keys_of(const FeatureRecipe& recipe);
  void place_columns(const ReadOptions& options, const std::string& path);

  std::vector<Key> keys_;
  std::unordered_map<std::string, std::size_t> places_;
  CsvColumns columns_;
  std::vector<Column> kinds_;
  std::size_t looked_at_ = 0;  // lines
  bool lines_are_lists_ = false, has_recipe_ = false, passes_over_new_keys_ = false;
};

struct JsonlLayout {
  const JsonlKeys& keys;
  const std::string& separator;  // in a text that lists labels
  const std::string& path;
  NumberMarks marks{};
  bool only_numbers = false;                      // a feature that is not a number is refused
  bool ids_may_lack = false;                      // a row without an id gets an empty one
  KeepSpellings spellings = KeepSpellings::None;  // of columns of text they are always kept
  bool needs_a_feature = false;  // an object without the key of any feature is refused
};

// Appends the rows of one block of text to `table`. Error(Data) at what is wrong with a line.
void parse_jsonl_block(const JsonlLayout& layout, const TextBlock& block, CsvTable& table);

// What an object in a line has as its id under this key; empty if it has none.
std::string id_in_line(std::string_view line, std::string_view key);

// Appends the rows of `below` to `above`.
void append_rows(CsvTable& above, CsvTable below);

// Rows that come one by one, each in a line of JSON, with the columns that are known beforehand: a
// list of them all in their order, or an object that has them by name. Columns called x[0], x[1],
// ... are the list "x"; where columns have no names, all of them are the list "features". Other
// keys are passed over.
class JsonRows {
 public:
  // Columns by name, or `columns` of them without. The recipe of the options makes the features;
  // without one all columns are numbers. The id of a row is that of the id column of the options,
  // else of "id", if no column is called so.
  JsonRows(const std::vector<std::string>& names, std::size_t columns, ReadOptions options);
  JsonRows(const JsonRows&) = delete;
  JsonRows& operator=(const JsonRows&) = delete;

  struct Row {
    Features features;
    std::string id;  // empty if it has none
  };
  // Error(Data) at what is wrong with the line.
  Row row(std::string_view line) const;
  // The id of a line that may be wrong otherwise, as far as it is known.
  std::string id(std::string_view line) const;

 private:
  ReadOptions options_;
  std::string path_;
  JsonlKeys list_, object_;
  BlockRecipe list_recipe_, object_recipe_;
};

}  // namespace sieve
