#include "data/label_columns.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::size_t kLongestName = 4096;
constexpr std::string_view kCandidate = "candidate:", kTruth = "truth:", kLabel = "label:";

struct Group {
  std::vector<std::size_t> columns;
  std::vector<std::string> names;
};

// The columns whose name begins with `prefix`, in file order, with the prefix cut off.
Group columns_with(std::string_view prefix, const std::vector<std::string>& names) {
  Group group;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].starts_with(prefix)) continue;
    group.columns.push_back(i);
    group.names.push_back(names[i].substr(prefix.size()));
  }
  return group;
}

// The columns of `from` in the order in which `order` lists the labels.
std::vector<std::size_t> in_order(const Group& from, const std::vector<std::string>& order,
                                  const std::string& path) {
  std::unordered_map<std::string_view, std::size_t> column_of;
  for (std::size_t i = 0; i < from.names.size(); ++i) column_of[from.names[i]] = from.columns[i];
  std::vector<std::size_t> columns;
  for (const std::string& name : order) {
    const auto found = column_of.find(name);
    if (found == column_of.end() || from.names.size() != order.size())
      throw Error(Failure::Data,
                  "the candidate columns and the truth columns list different labels" +
                      (found == column_of.end() ? " ('" + name + "' has no truth column)" : ""),
                  {path, 0, 0}, "name a candidate:x and a truth:x column for every label x");
    columns.push_back(found->second);
  }
  return columns;
}

}  // namespace

void check_names(const std::vector<std::string>& names, const std::string& what,
                 const std::string& path) {
  std::unordered_map<std::string_view, std::size_t> first_place;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string which = what + " " + std::to_string(i + 1);
    if (names[i].find_first_not_of(" \t") == std::string::npos)
      throw Error(Failure::Data, which + " has a blank name", {path, 0, 0},
                  "give every " + what + " a name");
    if (names[i].size() > kLongestName)
      throw Error(Failure::Data,
                  which + " has a name of " + std::to_string(names[i].size()) + " bytes",
                  {path, 0, 0}, "names may have up to " + std::to_string(kLongestName) + " bytes");
    const auto [other, fresh] = first_place.try_emplace(names[i], i);
    if (!fresh)
      throw Error(Failure::Data,
                  which + " has the same name as " + what + " " +
                      std::to_string(other->second + 1) + ": '" + names[i] + "'",
                  {path, 0, 0}, "rename one of them");
  }
}

void set_labels(Dataset& data, LabelMatrix columns, std::vector<std::string> column_names,
                LabelRole role, const std::string& path) {
  const Group candidate = columns_with(kCandidate, column_names);
  const Group truth = columns_with(kTruth, column_names);
  if (candidate.columns.size() + truth.columns.size() == 0) {
    for (std::string& name : column_names)
      if (name.starts_with(kLabel)) name.erase(0, kLabel.size());
    data.label_names = std::move(column_names);
    data.candidates = std::move(columns);
    if (role == LabelRole::Truth) data.truth = data.candidates.clone();
  } else {
    if (candidate.columns.size() + truth.columns.size() != column_names.size())
      throw Error(Failure::Data,
                  "some label columns are named candidate:... or truth:... and some are not",
                  {path, 0, 0}, "name all of them that way, or none");
    data.label_names = candidate.columns.empty() ? truth.names : candidate.names;
    if (!truth.columns.empty())
      data.truth = columns.select_labels(in_order(truth, data.label_names, path));
    data.candidates =
        candidate.columns.empty() ? data.truth->clone() : columns.select_labels(candidate.columns);
  }
  check_names(data.label_names, "label", path);
}

LabelColumnsOut label_columns_to_write(const Dataset& data, const WriteOptions& options) {
  using Labels = WriteOptions::Labels;
  if (options.labels == Labels::Truth && !data.truth)
    throw Error(Failure::Usage, "the true labels were asked for, but this set has none");
  if (options.labels == Labels::Candidates || !data.truth)
    return {data.label_names, {&data.candidates}};
  if (options.labels == Labels::Truth) return {data.label_names, {&*data.truth}};

  LabelColumnsOut out;
  const auto add = [&](std::string_view prefix, const LabelMatrix& matrix) {
    for (const std::string& name : data.label_names)
      out.names.push_back(std::string(prefix) + name);
    out.matrices.push_back(&matrix);
  };
  if (!(*data.truth == data.candidates)) add(kCandidate, data.candidates);
  add(kTruth, *data.truth);
  return out;
}

void check_label_budget(std::size_t rows, std::size_t labels, std::size_t bytes_read,
                        const std::string& path) {
  const double needed = static_cast<double>(rows) * static_cast<double>((labels + 63) / 64) * 8 +
                        static_cast<double>(labels) * sizeof(std::string);
  if (needed <= 64e6 + 16.0 * static_cast<double>(bytes_read)) return;
  throw Error(Failure::Data,
              std::to_string(labels) + " labels on " + std::to_string(rows) + " rows would take " +
                  std::to_string(static_cast<std::size_t>(needed / 1e6)) +
                  " MB, out of proportion to the file",
              {path, 0, 0}, "check for a label index that is far too large");
}

std::vector<std::string> numbered_names(const std::string& stem, std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t i = 0; i < count; ++i) names[i] = stem + std::to_string(i + 1);
  return names;
}

namespace {

LabelMask labels_by_prefix(const std::string& prefix, std::vector<std::string>& names,
                           const std::string& path) {
  LabelMask mask(names.size());
  bool any = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].starts_with(prefix)) continue;
    names[i].erase(0, prefix.size());
    mask[i] = any = true;
  }
  if (any) return mask;
  throw Error(Failure::Usage, "no column has a name that begins with '" + prefix + "'",
              {path, 0, 0}, "check " + term("labels.prefix") + " against the names in the file");
}

}  // namespace

std::string count_hint() {
  return term("labels.count", "n") + " takes the first n columns, " + term("labels.count", "-n") +
         " the last n";
}

std::optional<LabelMask> labels_by_count(long n, std::size_t columns) {
  const auto bits = static_cast<std::size_t>(n);
  const std::size_t wanted = n < 0 ? 0 - bits : bits;  // the least long has no positive twin
  if (wanted > columns) return std::nullopt;
  LabelMask mask(columns);
  const std::size_t first = n > 0 ? 0 : columns - wanted;
  for (std::size_t i = first; i < first + wanted; ++i) mask[i] = true;
  return mask;
}

LabelMask labels_by_name(const std::vector<std::string>& wanted,
                         const std::vector<std::string>& columns, std::string& missing) {
  std::unordered_map<std::string_view, std::size_t> column_of;
  for (std::size_t i = 0; i < columns.size(); ++i) column_of[columns[i]] = i;
  LabelMask mask(columns.size());
  for (const std::string& name : wanted) {
    const auto found = column_of.find(name);
    if (found == column_of.end())
      missing = name;
    else
      mask[found->second] = true;
  }
  return mask;
}

std::optional<LabelMask> chosen_labels(const LabelColumns& labels, std::vector<std::string>& names,
                                       const std::string& path) {
  if (labels.all) return LabelMask(names.size(), true);
  if (labels.count) {
    std::optional<LabelMask> mask = labels_by_count(*labels.count, names.size());
    if (mask) return mask;
    throw Error(Failure::Usage,
                std::to_string(*labels.count) + " labels were asked for, but there are " +
                    std::to_string(names.size()) + " columns",
                {path, 0, 0}, count_hint());
  }
  if (!labels.prefix.empty()) return labels_by_prefix(labels.prefix, names, path);
  if (labels.names.empty()) return std::nullopt;
  std::string missing;
  LabelMask mask = labels_by_name(labels.names, names, missing);
  if (missing.empty()) return mask;
  throw Error(Failure::Usage, "there is no column '" + missing + "' to take as a label",
              {path, 0, 0},
              "check the names in " + term("labels.names") + " against those in the file");
}

}  // namespace sieve
