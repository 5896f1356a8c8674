#include "data/jsonl/json_rows.h"

#include <algorithm>
#include <utility>

namespace sieve {
namespace {

constexpr const char* kId = "id";

// Where columns have no names of their own.
std::vector<std::string> named(std::vector<std::string> names, std::size_t columns) {
  for (std::size_t k = 0; names.size() < columns; ++k)
    names.push_back("features[" + std::to_string(k) + "]");
  return names;
}

ReadOptions with_id(ReadOptions options, const std::vector<std::string>& names) {
  if (!options.id_column)
    options.id_column = std::ranges::find(names, kId) == names.end() ? kId : "";
  options.labels = {};
  options.labels.optional = true;
  return options;
}

ReadOptions without_id(ReadOptions options) {
  options.id_column = "";
  return options;
}

}  // namespace

JsonRows::JsonRows(const std::vector<std::string>& names, std::size_t columns, ReadOptions options)
    : options_(with_id(std::move(options), names)),
      list_({}, columns, without_id(options_)),
      object_(named(names, columns), columns, options_),
      list_recipe_(options_, {}, columns, path_),
      object_recipe_(options_, object_.columns().feature_names, columns, path_) {}

JsonRows::Row JsonRows::row(std::string_view line) const {
  const bool is_list = trimmed(line).starts_with('[');
  const JsonlKeys& keys = is_list ? list_ : object_;
  const BlockRecipe& recipe = is_list ? list_recipe_ : object_recipe_;
  const JsonlLayout layout{keys, options_.labels.separator, path_, NumberMarks(options_), !recipe,
                           true, KeepSpellings::None,       true};
  CsvTable table(keys.columns());
  parse_jsonl_block(layout, {line, 1, 1}, table);
  Row row;
  if (keys.columns().has_ids) row.id = std::move(table.ids.front());
  row.features = recipe ? recipe.features(std::move(table.features), std::move(table.texts),
                                          std::move(table.spellings))
                        : Features(std::move(table.features));
  return row;
}

std::string JsonRows::id(std::string_view line) const {
  return id_in_line(line, *options_.id_column);
}

}  // namespace sieve
