#include "data/ids.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "labelsieve/error.h"
#include "labelsieve/setting_names.h"

namespace sieve {

void check_ids(const std::vector<std::string>& ids, const std::string& path) {
  std::unordered_map<std::string_view, std::size_t> row_of;
  row_of.reserve(ids.size());
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const auto [other, fresh] = row_of.emplace(ids[row], row);
    if (!fresh)
      throw Error(Failure::Data,
                  fmt::format("rows {} and {} (from 0) have the same id, '{}'", other->second, row,
                              ids[row].substr(0, 100)),
                  {path, 0, 0},
                  "give every row an id of its own, or another column by " + term("id_column"));
  }
}

std::vector<std::size_t> rows_with_ids(std::span<const std::string> wanted,
                                       std::span<const std::string> given,
                                       const std::string& file) {
  std::unordered_map<std::string_view, std::size_t> row_of;
  for (std::size_t row = 0; row < given.size(); ++row) row_of.emplace(given[row], row);
  std::vector<std::size_t> rows;
  std::vector<std::string> missing;
  for (const std::string& id : wanted) {
    const auto found = row_of.find(id);
    if (found == row_of.end())
      missing.push_back(id);
    else
      rows.push_back(found->second);
  }
  if (missing.empty()) return rows;
  throw Error(Failure::Data,
              "no rows with the ids of the data: " + counted_names(missing.size(), missing),
              {file, 0, 0}, "the files must be about the same rows");
}

std::string counted_names(std::size_t count, std::span<const std::string> first) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> shown;
  for (const std::string& name : first.first(std::min(first.size(), kShown)))
    shown.push_back(name.substr(0, 60));
  return fmt::format("{} ({}{})", count, fmt::join(shown, ", "),
                     count > shown.size() ? ", ..." : "");
}

}  // namespace sieve
