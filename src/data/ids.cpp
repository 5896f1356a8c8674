#include "data/ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "data/table_source.h"
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

namespace {

void add_note(std::vector<std::string>* notes, std::string note) {
  if (notes != nullptr) notes->push_back(std::move(note));
}

RawSet select_rows(RawSet set, const std::vector<std::size_t>& rows) {
  if (set.table) {
    set.data.features = Matrix(set.table->rows(), 0);
    set.table = set.table->select_rows(rows);
  }
  if (set.source) set.source = std::make_shared<const TableSource>(*set.source, rows);
  set.data = set.data.select_rows(rows);
  return set;
}

// Rows of the set and of the labels that have the same id, side by side.
struct Pairs {
  std::vector<std::size_t> rows, labels;
  std::vector<std::string> unlabelled, unknown;  // the ids that only one of them has
};

Pairs pairs_by_id(const std::vector<std::string>& rows, const std::vector<std::string>& labels) {
  std::unordered_map<std::string_view, std::size_t> place_of;
  place_of.reserve(labels.size());
  for (std::size_t k = 0; k < labels.size(); ++k) place_of.emplace(labels[k], k);
  Pairs pairs;
  std::vector<bool> is_used(labels.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto found = place_of.find(rows[row]);
    if (found == place_of.end()) {
      pairs.unlabelled.push_back(rows[row]);
      continue;
    }
    pairs.rows.push_back(row);
    pairs.labels.push_back(found->second);
    is_used[found->second] = true;
  }
  for (std::size_t k = 0; k < labels.size(); ++k)
    if (!is_used[k]) pairs.unknown.push_back(labels[k]);
  return pairs;
}

void refuse_without_pairs(const Pairs& pairs, const RawSet& set, const Dataset& labels,
                          const std::string& path) {
  if (!pairs.rows.empty()) return;
  throw Error(
      Failure::Data,
      fmt::format("none of its ids is an id of the data: '{}' in this file, '{}' in the data",
                  labels.ids.front().substr(0, 60), set.data.ids.front().substr(0, 60)),
      {path, 0, 0},
      "name the column that both files share with " + term("id_column") + ", or join them by " +
          "order with " + term("id_column", "none"));
}

Dataset labels_by_id(RawSet& set, const Dataset& labels, const std::string& path,
                     std::vector<std::string>* notes) {
  check_ids(set.data.ids, set.data.name);
  check_ids(labels.ids, path);
  const Pairs pairs = pairs_by_id(set.data.ids, labels.ids);
  refuse_without_pairs(pairs, set, labels, path);
  if (!pairs.unknown.empty())
    add_note(notes, path + ": ids that are not in the data, left out: " +
                        counted_names(pairs.unknown.size(), pairs.unknown));
  if (!pairs.unlabelled.empty()) {
    add_note(notes, path + ": rows of the data that have no labels there, left out: " +
                        counted_names(pairs.unlabelled.size(), pairs.unlabelled));
    set = select_rows(std::move(set), pairs.rows);
  }
  return labels.select_rows(pairs.labels);
}

void refuse_other_count(std::size_t rows, const Dataset& labels, const std::string& path) {
  if (labels.rows() == rows) return;
  throw Error(Failure::Data,
              fmt::format("{} rows of labels here do not fit the rest of the set, {} rows",
                          labels.rows(), rows),
              {path, 0, 0},
              "the files must have the same rows in the same order, or both a column of ids (" +
                  term("id_column") + ")");
}

}  // namespace

std::size_t rows_of(const RawSet& set) {
  return set.table ? set.table->rows() : set.data.features.rows();
}

Dataset labels_for_rows(RawSet& set, Dataset labels, const std::string& path,
                        std::vector<std::string>* notes) {
  std::vector<std::string>& ids = set.data.ids;
  if (!ids.empty() && !labels.ids.empty()) return labels_by_id(set, labels, path, notes);
  refuse_other_count(rows_of(set), labels, path);
  if (!ids.empty())
    add_note(notes, path + ": it has no ids, so its labels go to the rows of the data in order");
  if (!labels.ids.empty()) {
    add_note(notes, path +
                        ": the data has no ids, so the labels go to its rows in order, and the "
                        "ids with them");
    check_ids(labels.ids, path);
    ids = labels.ids;
  }
  return labels;
}

}  // namespace sieve
