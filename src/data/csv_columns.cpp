#include "data/csv_columns.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <unordered_map>

#include "data/formats.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

using Kind = CsvColumns::Kind;

[[noreturn]] void refuse(const std::string& message, const std::string& path,
                         const std::string& hint) {
  throw Error(Failure::Data, message, {path, 0, 0}, hint);
}

// How many letters to insert, delete or replace to get from one to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

[[noreturn]] void refuse_name(const std::string& name, const std::vector<std::string>& header,
                              const std::string& path) {
  constexpr std::size_t kCompared = 1000, kLongest = 100;  // a hint is not worth more time
  std::size_t best = kLongest;
  std::string nearest;
  for (std::size_t i = 0; i < std::min(header.size(), kCompared); ++i) {
    if (std::max(name.size(), header[i].size()) > kLongest) continue;
    const std::size_t distance = edit_distance(name, header[i]);
    if (distance < best) best = distance, nearest = header[i];
  }
  refuse("there is no column named '" + name + "'", path,
         nearest.empty() ? "check the first line of the file"
                         : "the nearest name in the file is '" + nearest + "'");
}

bool is_label_name(const std::string& name) {
  return name.starts_with("label:") || name.starts_with("candidate:") || name.starts_with("truth:");
}

// The kind of each column.
class Chooser {
 public:
  Chooser(CsvColumns& columns, const LabelColumns& labels, const std::string& path)
      : header_(columns.header), labels_(labels), path_(path), kinds_(columns.count) {}

  std::vector<Kind> choose() {
    if (labels_.all)
      std::ranges::fill(kinds_, Kind::Label);
    else if (labels_.count)
      by_count(*labels_.count);
    else if (!labels_.names.empty())
      for (const std::string& name : labels_.names) set_named(name, Kind::Label);
    else if (!labels_.column.empty())
      set_named(labels_.column, Kind::LabelList);
    else if (!labels_.prefix.empty())
      by_prefix();
    else
      by_own_names();
    return kinds_;
  }

 private:
  void by_count(long wanted) {
    const auto size = static_cast<std::size_t>(std::abs(wanted));
    if (size > kinds_.size())
      refuse(std::to_string(size) + " label columns were asked for, but there are only " +
                 std::to_string(kinds_.size()) + " columns",
             path_, "check --label-count and the delimiter");
    const auto first = wanted > 0 ? kinds_.begin() : kinds_.end() + wanted;
    std::fill_n(first, size, Kind::Label);
  }
  void set_named(const std::string& name, Kind kind) {
    if (header_.empty())
      refuse("there is no column named '" + name + "': the file has no line of names", path_,
             "choose the labels by --label-count instead");
    if (column_of_.empty())
      for (std::size_t i = header_.size(); i-- > 0;) column_of_[header_[i]] = i;
    const auto found = column_of_.find(name);
    if (found == column_of_.end()) refuse_name(name, header_, path_);
    kinds_[found->second] = kind;
  }
  void by_prefix() {
    bool any = false;
    for (std::size_t i = 0; i < header_.size(); ++i)
      if (header_[i].starts_with(labels_.prefix)) kinds_[i] = Kind::Label, any = true;
    if (!any)
      refuse("no column name begins with '" + labels_.prefix + "'", path_,
             header_.empty() ? "the file has no line of names: choose the labels by --label-count"
                             : "check --label-prefix; the first column is '" + header_[0] + "'");
  }
  void by_own_names() {
    bool any = false;
    for (std::size_t i = 0; i < header_.size(); ++i)
      if (is_label_name(header_[i])) kinds_[i] = Kind::Label, any = true;
    if (!any)
      refuse("nothing tells which columns are labels", path_,
             "use one of --labels, --label-prefix, --label-count and --label-column, or let the "
             "names of the label columns begin with label:");
  }

  const std::vector<std::string>& header_;
  const LabelColumns& labels_;
  const std::string& path_;
  std::vector<Kind> kinds_;
  std::unordered_map<std::string_view, std::size_t> column_of_;
};

void add_names(CsvColumns& columns, const std::vector<Kind>& kinds, const std::string& prefix) {
  for (std::size_t i = 0; i < columns.header.size(); ++i) {
    if (kinds[i] == Kind::Feature) columns.feature_names.push_back(columns.header[i]);
    if (kinds[i] == Kind::Label)
      columns.label_names.push_back(columns.header[i].substr(prefix.size()));
  }
  if (columns.header.empty()) columns.label_names = numbered_names("label", columns.labels);
}

}  // namespace

std::string CsvColumns::describe(std::size_t column) const {
  const std::string number = "column " + std::to_string(column + 1);
  return header.empty() ? number : number + " ('" + header[column].substr(0, 100) + "')";
}

CsvColumns choose_columns(std::vector<std::string> header, std::size_t count,
                          const LabelColumns& labels, const std::string& path) {
  CsvColumns columns;
  columns.count = count;
  columns.header = std::move(header);
  const std::vector<Kind> kinds = Chooser(columns, labels, path).choose();
  for (const Kind kind : kinds) {
    std::size_t& same = kind == Kind::Feature ? columns.features : columns.labels;
    if (columns.runs.empty() || columns.runs.back().kind != kind)
      columns.runs.push_back({kind, same, 0});
    ++columns.runs.back().count;
    ++same;
  }
  columns.has_list = !labels.column.empty() && !labels.all && !labels.count && labels.names.empty();
  if (columns.has_list) columns.labels = 0;
  add_names(columns, kinds,
            labels.all || labels.count || !labels.names.empty() ? "" : labels.prefix);
  check_names(columns.feature_names, "feature", path);
  return columns;
}

}  // namespace sieve
