#include "data/csv/csv_columns.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/named_rows.h"
#include "data/label_columns.h"
#include "data/question.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

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

// "a, b, c, ..., z"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kFirst = 5;
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kFirst && names.size() > kFirst + 1) out += ", ...";
    if (i < kFirst || i + 1 == names.size()) out += (i == 0 ? "" : ", ") + names[i].substr(0, 40);
  }
  return out;
}

LabelMask by_own_names(const std::vector<std::string>& header, std::size_t count,
                       const LabelColumns& labels, const std::string& path) {
  if (const auto mask = by_test(header, is_label_name)) return *mask;
  if (labels.optional || labels.else_all) return LabelMask(count, labels.else_all);
  throw LabelsUnknown(
      Failure::Data,
      "cannot tell which columns are labels" +
          (header.empty() ? "" : " (columns: " + some_of(header) + ")"),
      {path, 0, 0},
      "say it with " + term("labels.names") + ", " + term("labels.prefix") + ", " +
          term("labels.count") + " or " + term("labels.column") +
          "; begin the names of label columns with label:; or give a file of who ticked "
          "what with " +
          term("ticks.path"));
}

// Whether somebody, or a recipe, has said what the column is.
bool has_known_use(const std::string& name, const ReadOptions& options) {
  const TableOptions& table = options.table;
  for (const auto* names :
       {&options.known_features, &table.text, &table.category, &table.date, &table.ignore})
    if (std::ranges::find(*names, name) != names->end()) return true;
  return options.recipe && std::ranges::find(options.recipe->columns, name, &RecipeColumn::name) !=
                               options.recipe->columns.end();
}

using AllDiffer = std::function<bool(std::size_t, IdName)>;

[[noreturn]] void ask_for_ids(const std::vector<std::string>& names, const std::string& path) {
  std::vector<ReadAnswer> answers;
  for (const std::string& name : names)
    answers.push_back(
        {"if '" + name + "' names the items", {{"ticks.item", name}, {"id_column", name}}});
  throw ReadQuestion(
      "several columns are in the data and in the annotations, and each may name the items",
      {path, 0, 0}, answers);
}

[[noreturn]] void refuse_item_column(const std::string& name,
                                     const std::vector<std::string>& header,
                                     const std::string& path, const AllDiffer& all_differ) {
  std::vector<ReadAnswer> answers;
  for (std::size_t i = 0; i < header.size(); ++i)
    if (header[i] != name && id_name(header[i]) == IdName::Yes && all_differ(i, IdName::Yes))
      answers.push_back({"if '" + header[i] + "' has the items", {{"id_column", header[i]}}});
  answers.push_back({"if the items are row numbers",
                     {{"id_column", "none"}, {"ticks.items_are", "row-numbers"}}});
  throw ReadQuestion(
      "the annotations name their items by '" + name +
          "', but the column of that name in the data cannot be its ids: some values repeat "
          "or are missing, or it has another use",
      {path, 0, 0}, answers);
}

// The column that the annotations name their items by too, if there is one.
std::optional<std::size_t> column_of_items(const std::vector<std::string>& header,
                                           const LabelMask& is_label, const ReadOptions& options,
                                           const std::string& path, const AllDiffer& all_differ) {
  std::optional<std::size_t> unfit;
  std::vector<std::size_t> fit;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (std::ranges::find(options.item_names, header[i]) == options.item_names.end()) continue;
    const bool has_use =
        (is_label[i] && !options.labels.else_all) || has_known_use(header[i], options);
    if (!has_use && all_differ(i, IdName::Yes))
      fit.push_back(i);
    else
      unfit = i;
  }
  if (fit.empty() && unfit && options.item_names.size() == 1)
    refuse_item_column(header[*unfit], header, path, all_differ);
  if (fit.empty()) return std::nullopt;
  if (fit.size() > 1) {
    std::vector<std::string> names;
    for (const std::size_t column : fit) names.push_back(header[column]);
    ask_for_ids(names, path);
  }
  if (options.notes == nullptr) return fit.front();
  options.notes->push_back(path + ": took column '" + header[fit.front()] +
                           "' as the ids of the rows: the annotations have it too");
  for (std::size_t i = 0; i < header.size(); ++i)
    if (i != fit.front() && !is_label[i] && !has_known_use(header[i], options) &&
        id_name(header[i]) == IdName::Yes && all_differ(i, IdName::Yes))
      options.notes->push_back(path + ": column '" + header[i] +
                               "' is named like an id, but taken as a feature; leave it out with " +
                               term("table.ignore"));
  return fit.front();
}

// The column of ids: the one that is asked for, else the one that is plainly that.
std::optional<std::size_t> id_column(const std::vector<std::string>& header,
                                     const LabelMask& is_label, const ReadOptions& options,
                                     const std::string& path,
                                     const std::function<bool(std::size_t, IdName)>& all_differ) {
  if (options.id_column) {
    if (options.id_column->empty()) return std::nullopt;
    const LabelMask mask = by_name({*options.id_column}, header, path);
    return static_cast<std::size_t>(std::ranges::find(mask, true) - mask.begin());
  }
  if (options.labels.all) return std::nullopt;
  if (const auto same = column_of_items(header, is_label, options, path, all_differ)) return same;
  std::optional<std::size_t> found, repeats;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const IdName name = id_name(header[i]);
    if (name == IdName::No || (is_label[i] && !options.labels.else_all) ||
        has_known_use(header[i], options))
      continue;
    if (!all_differ(i, name)) {
      if (name == IdName::Yes && !repeats) repeats = i;
    } else if (!found || same_word(header[i], "id")) {
      found = i;
    }
  }
  if (options.notes == nullptr) return found;
  if (found)
    options.notes->push_back(path + ": took column '" + header[*found] +
                             "' as the ids of the rows (" + term("id_column", "none") +
                             " if it is a feature)");
  else if (repeats)
    options.notes->push_back(path + ": column '" + header[*repeats] +
                             "' is named like an id, but some values repeat or are missing: it is "
                             "taken as a feature; leave it out with " +
                             term("table.ignore"));
  return found;
}

// How the columns that are not labels are read: by the recipe, else by what the options say.
class FeatureKinds {
 public:
  FeatureKinds(const std::vector<std::string>& header, const ReadOptions& options,
               const std::string& path)
      : header_(header),
        recipe_(options.recipe.get()),
        tally_(options.tally),
        left_out_(options.keep_left_out ? Kind::LeftOut : Kind::Ignored) {
    const TableOptions& table = options.table;
    add(table.ignore, left_out_, path);
    if (recipe_ != nullptr) return;
    for (const auto* names : {&table.text, &table.category, &table.date})
      add(*names, Kind::Text, path);
  }

  // `feature` counts among the features.
  Kind kind(std::size_t column, std::size_t feature) const {
    const std::string name = header_.empty() ? "" : header_[column];
    if (const auto said = said_.find(name); said != said_.end()) return said->second;
    if (recipe_ == nullptr) return Kind::Feature;
    const bool by_name =
        !header_.empty() && !recipe_->columns.empty() && !recipe_->columns.front().name.empty();
    const auto known = by_name ? std::ranges::find(recipe_->columns, name, &RecipeColumn::name)
                               : recipe_->columns.begin() +
                                     std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(feature),
                                                              std::ssize(recipe_->columns));
    if (known != recipe_->columns.end())
      return known->kind == RecipeColumn::Kind::Number ? Kind::Feature : Kind::Text;
    if (!by_name) return Kind::Feature;  // one too many, which will be refused
    if (tally_ != nullptr) tally_->ignored.push_back(name);
    return left_out_;
  }

 private:
  void add(const std::vector<std::string>& names, Kind kind, const std::string& path) {
    if (names.empty()) return;
    if (recipe_ == nullptr || kind != left_out_) by_name(names, header_, path);
    for (const std::string& name : names) said_.emplace(name, kind);
  }

  const std::vector<std::string>& header_;
  const FeatureRecipe* recipe_;
  RecipeTally* tally_;
  Kind left_out_;
  std::map<std::string, Kind> said_;
};

// Whether a column is the index of pandas, whole numbers that all differ, and nobody says
// otherwise.
bool counts_rows(const std::string& name, std::size_t column, const ReadOptions& options,
                 const AllDiffer& all_differ) {
  return name == kUnnamedColumn && !has_known_use(name, options) &&
         all_differ(column, IdName::Yes) && !all_differ(column, IdName::IfText);
}

}  // namespace

std::string CsvColumns::describe(std::size_t column) const {
  const std::string number = "column " + std::to_string(column + 1);
  return header.empty() ? number : number + " ('" + header[column].substr(0, 100) + "')";
}

// Adds one column behind the others.
void CsvColumns::add(Kind kind, std::size_t prefix_size) {
  std::size_t uncounted = 0, left_out = left_out_names.size();
  const bool is_feature = kind == Kind::Feature || kind == Kind::Text;
  const bool is_label = kind == Kind::Label || kind == Kind::LabelList;
  std::size_t& same = is_feature              ? features
                      : is_label              ? labels
                      : kind == Kind::LeftOut ? left_out
                                              : uncounted;
  if (runs.empty() || runs.back().kind != kind) runs.push_back({kind, same, 0});
  ++runs.back().count;
  ++same;
  has_text = has_text || kind == Kind::Text;
  if (!header.empty() && is_feature) feature_names.push_back(header[count]);
  if (!header.empty() && kind == Kind::LeftOut) left_out_names.push_back(header[count]);
  if (!header.empty() && kind == Kind::Label)
    label_names.push_back(header[count].substr(prefix_size));
  ++count;
}

IdName id_name(std::string_view name) {
  static constexpr std::array kTextIds = {
      "item", "task",  "unit", "key", "name",     "file",    "filename",
      "path", "image", "url",  "doc", "document", "text_id", kUnnamedColumn.data()};
  const auto is = [&](std::string_view word) { return same_word(name, word); };
  while (name.starts_with('_')) name.remove_prefix(1);
  if (is("id") || is("uid") || is("uuid") || is("guid")) return IdName::Yes;
  if (name.size() > 2 && (name.ends_with("Id") || name.ends_with("ID"))) return IdName::Yes;
  if (name.size() > 3 && same_word(name.substr(name.size() - 2), "id") &&
      std::string_view("_- .").find(name[name.size() - 3]) != std::string_view::npos)
    return IdName::Yes;
  return std::ranges::any_of(kTextIds, is) ? IdName::IfText : IdName::No;
}

CsvColumns choose_columns(std::vector<std::string> header, std::size_t count,
                          const ReadOptions& options, const std::string& path,
                          const std::function<bool(std::size_t, IdName)>& all_differ) {
  const LabelColumns& labels = options.labels;
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
  const std::optional<std::size_t> ids = id_column(header, mask, options, path, all_differ);
  if (ids && mask[*ids] && !labels.else_all)
    refuse("column '" + header[*ids] + "' cannot hold both ids and labels", path,
           "check " + term("id_column"));
  columns.has_ids = ids.has_value();
  if (ids && options.id_column_taken != nullptr) *options.id_column_taken = header[*ids];
  columns.header = std::move(header);
  const FeatureKinds features(columns.header, options, path);
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (ids != i && !mask[i] && !columns.header.empty() &&
        counts_rows(columns.header[i], i, options, all_differ)) {
      columns.add(Kind::Ignored, prefix_size);
      if (options.notes != nullptr)
        options.notes->push_back(path + ": column " + std::to_string(i + 1) +
                                 " has no name and numbers the rows: it is left out");
      continue;
    }
    columns.add(ids == i  ? Kind::Id
                : mask[i] ? kind
                          : features.kind(i, columns.features),
                prefix_size);
  }
  columns.has_list = kind == Kind::LabelList;
  if (columns.has_list) columns.labels = 0;
  if (columns.header.empty()) columns.label_names = numbered_names("label", columns.labels);
  check_names(columns.feature_names, "feature", path);
  return columns;
}

}  // namespace sieve
