#include "data/parts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "data/duckdb/duckdb_table.h"
#include "data/formats.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::array<std::string_view, 2> kCandidateWords = {"_candidates", "_partial_labels"};
constexpr std::array<std::string_view, 2> kTruthWords = {"_target", "_truth"};

std::string_view file_name(const std::string& path) {
  return std::string_view(path).substr(path.find_last_of('/') + 1);
}

bool contains_any(std::string_view name, const std::array<std::string_view, 2>& words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// The name without the word that tells train from test; -1, 0 or 1 for train, neither, test.
struct PartName {
  std::string set;
  int order = 0;
};
PartName part_name(const std::string& path) {
  std::string name(file_name(path));
  for (const auto& [word, order] : {std::pair{"train", -1}, std::pair{"test", 1}}) {
    const std::size_t at = name.rfind(word);
    if (at != std::string::npos) return {name.erase(at, std::string_view(word).size()), order};
  }
  return {name, 0};
}

void put_in_place(std::string& place, const std::string& path, const std::string& what) {
  if (!place.empty())
    throw Error(Failure::Data, "two files of " + what + ": this one and " + place, {path, 0, 0},
                "name the files that belong together");
  place = path;
}

std::vector<std::string> data_files_in(const std::string& folder, FileSystem& files) {
  std::vector<std::string> paths;
  for (const std::string& name : files.list(folder))
    if (name.front() != '.' && !format_of_name(name).empty()) paths.push_back(folder + "/" + name);
  if (paths.empty())
    throw Error(Failure::Data, "there is no data file in this folder", {folder, 0, 0},
                "name a file that ends in one of " + all_extensions() + " (or .gz of one)");
  return paths;
}

// The tables of a folder have to be the train and test files of one set.
void order_folder_tables(std::vector<std::string>& tables) {
  std::ranges::stable_sort(tables, {}, [](const std::string& p) { return part_name(p).order; });
  for (const std::string& path : tables)
    if (part_name(path).set != part_name(tables.front()).set)
      throw Error(
          Failure::Data,
          "the folder holds more than one data set (" + std::string(file_name(tables.front())) +
              ", " + std::string(file_name(path)) + ")",
          {path.substr(0, path.find_last_of('/')), 0, 0}, "name the file, or the files of one set");
}

}  // namespace

SetParts find_parts(const std::vector<std::string>& paths, FileSystem& files) {
  const bool folder = paths.size() == 1 && files.is_folder(paths.front());
  if (folder) refuse_foreign_folder(paths.front(), files);
  if (folder && !parquet_shards(paths.front(), files).empty()) return {paths, {}, {}};
  const std::vector<std::string> found = folder ? data_files_in(paths.front(), files) : paths;
  SetParts parts;
  for (const std::string& path : found) {
    const bool may_be_labels = folder || found.size() > 1;
    if (may_be_labels && contains_any(file_name(path), kCandidateWords))
      put_in_place(parts.candidates, path, "candidate labels");
    else if (may_be_labels && contains_any(file_name(path), kTruthWords))
      put_in_place(parts.truth, path, "true labels");
    else
      parts.tables.push_back(path);
  }
  if (folder) order_folder_tables(parts.tables);
  return parts;
}

}  // namespace sieve
