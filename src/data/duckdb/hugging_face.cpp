#include "data/duckdb/hugging_face.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "data/duckdb/duckdb_query.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::uint64_t kLargestInfo = std::uint64_t{1} << 26;

int order_of(std::string_view name) {
  return name.find("test") != name.npos ? 1 : name.find("train") != name.npos ? -1 : 0;
}

// The names of the classes of a feature, "['a', 'b']"; "" if it has none.
std::string names_of_classes(const JsonValue& feature) {
  const auto names = feature.find("names");
  if (!names || !names->is_array()) return {};
  std::string list;
  names->for_each(
      [&](const JsonValue& name) { list += (list.empty() ? "" : ", ") + sql_text(name.plain()); });
  return list.empty() ? "" : "[" + list + "]";
}

// The name of a class by its number; -1 means that there is none.
std::string class_name(const std::string& number, const std::string& names) {
  return "CASE WHEN " + number + " < 0 THEN NULL WHEN " + number + " >= len(" + names +
         ") THEN error('class ' || " + number + " || ' has no name') ELSE (" + names + ")[" +
         number + " + 1] END";
}

// "labels" as names, in SQL.
std::string replacement(const std::string& column, const JsonValue& feature) {
  const std::string name = sql_name(column);
  if (const std::string names = names_of_classes(feature); !names.empty())
    return class_name(name, names) + " AS " + name;
  const auto inner = feature.is_array() ? std::nullopt : feature.find("feature");
  std::string names = inner ? names_of_classes(*inner) : "";
  // Later versions of the library write a list of one feature.
  feature.for_each([&](const JsonValue& each) {
    if (names.empty()) names = names_of_classes(each);
  });
  if (names.empty()) return {};
  return "[" + class_name("class_number", names) + " FOR class_number IN " + name + "] AS " + name;
}

std::string replacements(const std::string& info, FileSystem& files) {
  const std::string text = read_all(*files.open(info), kLargestInfo, info);
  JsonParser parser;
  const JsonValue root = parser.parse(text, {info, 0, 0});
  std::string list;
  if (const auto features = root.find("features"))
    features->for_members([&](std::string_view column, const JsonValue& feature) {
      if (const std::string one = replacement(std::string(column), feature); !one.empty())
        list += (list.empty() ? "" : ", ") + one;
    });
  return list;
}

}  // namespace

std::vector<std::string> parquet_shards(const std::string& folder, FileSystem& files) {
  std::vector<std::string> shards;
  for (const std::string& place : {folder, folder + "/data"}) {
    if (!files.is_folder(place)) continue;
    for (const std::string& name : files.list(place))
      if (!name.starts_with('.') && name.ends_with(".parquet"))
        shards.push_back(place + "/" + name);
  }
  std::ranges::stable_sort(shards, {}, [&](const std::string& path) {
    return order_of(std::string_view(path).substr(path.find_last_of('/')));
  });
  return shards;
}

std::string hugging_face_table(const std::string& folder) {
  FileSystem& files = FileSystem::real();
  std::string list;
  for (const std::string& shard : parquet_shards(folder, files)) {
    if (shard.find_first_of("*?[") != shard.npos)
      throw Error(Failure::Usage, "DuckDB takes this name for a pattern", {shard, 0, 0},
                  "rename the file or the folder: without *, ? and [");
    list += (list.empty() ? "" : ", ") + sql_text(shard);
  }
  const std::string table = "read_parquet([" + list + "])";
  const std::string info = folder + "/dataset_info.json";
  const std::string names = files.exists(info) ? replacements(info, files) : "";
  return names.empty() ? table : "(SELECT * REPLACE (" + names + ") FROM " + table + ")";
}

}  // namespace sieve
