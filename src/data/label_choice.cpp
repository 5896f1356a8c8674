#include "data/label_choice.h"

#include <string_view>
#include <unordered_map>

#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
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
