#include "data/ids.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {

namespace {

struct SameIds {
  std::size_t first, second;
};

// Rows of the same id among some that come in order: those whose second comes first.
class IdsSeen {
 public:
  explicit IdsSeen(const std::vector<std::string>& ids) : ids_(ids) {}

  std::optional<SameIds> look(std::span<const std::size_t> rows,
                              const std::vector<std::size_t>& hashes) {
    places_.assign(std::bit_ceil(2 * rows.size() + 1), kNone);
    for (const std::size_t row : rows) {
      std::size_t place = hashes[row];
      while (true) {
        place &= places_.size() - 1;
        if (places_[place] == kNone) break;
        if (ids_[places_[place]] == ids_[row]) return SameIds{places_[place], row};
        ++place;
      }
      places_[place] = row;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  const std::vector<std::string>& ids_;
  std::vector<std::size_t> places_;  // of rows, by their hash
};

}  // namespace

// Rows go into groups by their hash, each of which fits into the cache.
void check_ids(const std::vector<std::string>& ids, const std::string& path) {
  constexpr std::size_t kGroup = 8192;
  const std::size_t groups = std::bit_ceil(ids.size() / kGroup + 1);
  const auto group_of = [&](std::size_t hash) { return (hash >> 32) & (groups - 1); };
  std::vector<std::size_t> hashes(ids.size()), ends(groups + 1, 0), rows(ids.size());
  for (std::size_t row = 0; row < ids.size(); ++row) {
    hashes[row] = std::hash<std::string>{}(ids[row]);
    ++ends[group_of(hashes[row]) + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  for (std::size_t row = 0; row < ids.size(); ++row) rows[ends[group_of(hashes[row])]++] = row;
  IdsSeen seen(ids);
  std::optional<SameIds> same;
  for (std::size_t group = 0, begin = 0; group < groups; begin = ends[group++]) {
    const auto found = seen.look(std::span(rows).subspan(begin, ends[group] - begin), hashes);
    if (found && (!same || found->second < same->second)) same = found;
  }
  if (same)
    throw Error(Failure::Data,
                fmt::format("rows {} and {} (from 0) have the same id, '{}'", same->first,
                            same->second, ids[same->second].substr(0, 100)),
                {path, 0, 0},
                "give every row an id of its own, or another column by " + term("id_column"));
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
