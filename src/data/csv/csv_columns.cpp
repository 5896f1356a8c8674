#include "data/csv/csv_columns.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/nearest.h"
#include "data/label_choice.h"
#include "data/label_columns.h"
#include "labelsieve/error.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

using Kind = CsvColumns::Kind;

[[noreturn]] void refuse(const std::string& message, const std::string& path,
                         const std::string& hint) {
  throw Error(Failure::Usage, message, {path, 0, 0}, hint);
}

[[noreturn]] void refuse_name(const std::string& name, const std::vector<std::string>& header,
                              const std::string& path) {
  constexpr std::size_t kCompared = 1000;  // a hint is not worth more time
  std::vector<std::string> known(
      header.begin(),
      header.begin() + static_cast<std::ptrdiff_t>(std::min(header.size(), kCompared)));
  const std::string like = nearest(name, known);
  refuse("there is no column named '" + name + "'", path,
         like.empty() ? "check the first line of the file"
                      : "the nearest name in the file is '" + like + "'");
}

bool is_label_name(const std::string& name) {
  return name.starts_with("label:") || name.starts_with("candidate:") || name.starts_with("truth:");
}

LabelMask by_name(const std::vector<std::string>& names, const std::vector<std::string>& header,
                  const std::string& path) {
  if (header.empty())
    refuse("there is no column named '" + names[0] + "': the file has no line of names", path,
           "choose the labels by " + term("labels.count") + " instead");
  std::string missing;
  LabelMask mask = labels_by_name(names, header, missing);
  if (!missing.empty()) refuse_name(missing, header, path);
  return mask;
}

// The columns whose names pass `test`.
template <class Test>
std::optional<LabelMask> by_test(const std::vector<std::string>& header, const Test& test) {
  LabelMask mask(header.size());
  std::transform(header.begin(), header.end(), mask.begin(), test);
  if (std::find(mask.begin(), mask.end(), true) == mask.end()) return std::nullopt;
  return mask;
}

LabelMask by_count(long count, std::size_t columns, const std::string& path) {
  if (std::optional<LabelMask> mask = labels_by_count(count, columns)) return *mask;
  refuse(std::to_string(count) + " label columns were asked for, but there are only " +
             std::to_string(columns) + " columns",
         path, count_hint());
}

LabelMask by_prefix(const std::string& prefix, const std::vector<std::string>& header,
                    const std::string& path) {
  const auto mask =
      by_test(header, [&](const std::string& name) { return name.starts_with(prefix); });
  if (mask) return *mask;
  refuse("no column name begins with '" + prefix + "'", path,
         header.empty()
             ? "the file has no line of names: choose the labels by " + term("labels.count")
             : "check " + term("labels.prefix") + "; the first column is '" + header[0] + "'");
}

LabelMask by_own_names(const std::vector<std::string>& header, std::size_t count,
                       const LabelColumns& labels, const std::string& path) {
  if (const auto mask = by_test(header, is_label_name)) return *mask;
  if (labels.optional || labels.else_all) return LabelMask(count, labels.else_all);
  throw Error(Failure::Data, "cannot tell which columns are labels", {path, 0, 0},
              "use one of " + term("labels.names") + ", " + term("labels.prefix") + ", " +
                  term("labels.count") + " and " + term("labels.column") +
                  ", or let the names of the label columns begin with label:");
}

}  // namespace

std::string CsvColumns::describe(std::size_t column) const {
  const std::string number = "column " + std::to_string(column + 1);
  return header.empty() ? number : number + " ('" + header[column].substr(0, 100) + "')";
}

// Adds one column behind the others.
void CsvColumns::add(Kind kind, std::size_t prefix_size) {
  std::size_t& same = kind == Kind::Feature ? features : labels;
  if (runs.empty() || runs.back().kind != kind) runs.push_back({kind, same, 0});
  ++runs.back().count;
  ++same;
  if (!header.empty() && kind == Kind::Feature) feature_names.push_back(header[count]);
  if (!header.empty() && kind == Kind::Label)
    label_names.push_back(header[count].substr(prefix_size));
  ++count;
}

CsvColumns choose_columns(std::vector<std::string> header, std::size_t count,
                          const LabelColumns& labels, const std::string& path) {
  Kind kind = Kind::Label;
  std::size_t prefix_size = 0;
  LabelMask mask;
  if (labels.all) {
    mask.assign(count, true);
  } else if (labels.count) {
    mask = by_count(*labels.count, count, path);
  } else if (!labels.names.empty()) {
    mask = by_name(labels.names, header, path);
  } else if (!labels.column.empty()) {
    mask = by_name({labels.column}, header, path);
    kind = Kind::LabelList;
  } else if (!labels.prefix.empty()) {
    mask = by_prefix(labels.prefix, header, path);
    prefix_size = labels.prefix.size();
  } else {
    mask = by_own_names(header, count, labels, path);
  }

  CsvColumns columns;
  columns.header = std::move(header);
  for (const bool is_label : mask) columns.add(is_label ? kind : Kind::Feature, prefix_size);
  columns.has_list = kind == Kind::LabelList;
  if (columns.has_list) columns.labels = 0;
  if (columns.header.empty()) columns.label_names = numbered_names("label", columns.labels);
  check_names(columns.feature_names, "feature", path);
  return columns;
}

}  // namespace sieve
