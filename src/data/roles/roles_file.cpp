#include "data/roles/roles_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/named_rows.h"
#include "base/toml.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

constexpr std::string_view kExample =
    "a file of roles has lines such as ticket_id = \"id\" below [data] or [annotations]";

using Columns = std::vector<std::pair<std::string, std::string>>;  // name and role

// ---- writing
// --------------------------------------------------------------------------------------

std::string comment(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return text.empty() ? "" : "  # " + text;
}

std::string line(const std::string& key, std::string_view value, const std::string& why) {
  return toml_quoted(key) + " = " + toml_quoted(std::string(value)) + comment(why) + "\n";
}

const ReadSetting& row_of(const std::string& term) {
  return *find_setting(read_setting_table(), term);
}

// A setting that names columns is in their roles; one that names files is about other data.
bool is_kept(const ReadSetting& row) {
  const bool files = row.option.type == OptionSpec::Type::Path || row.option.meta == "FILES";
  return !files && row.instead_of.empty() && !row.names_columns;
}

std::string meanings(const OpenQuestion& question, const std::string& term) {
  std::string text = question.message;
  for (const ReadAnswer& answer : question.answers)
    for (const auto& [name, value] : answer.settings)
      if (name == term) text += fmt::format("; {}: {}", answer.meaning, value);
  return text;
}

}  // namespace

std::string roles_text(const RoleTable& table, const std::vector<SettingValue>& given) {
  std::string text = fmt::format(
      "# What columns are. Correct what is wrong.\n# Roles: {}. Write one in the place of each "
      "\"?\".\n",
      fmt::join(role_names(), ", "));
  for (const bool annotations : {false, true}) {
    std::string lines;
    for (const ColumnRole& column : table.columns)
      if (column.of_annotations == annotations)
        lines += line(column.column, column.role, column.reason);
    if (!lines.empty()) text += (annotations ? "\n[annotations]\n" : "\n[data]\n") + lines;
  }
  std::string lines;
  for (const auto& [key, value] : given)
    if (is_kept(row_of(key))) lines += line(key, value, "given");
  const auto is_given = [&](const std::string& key) {
    return std::ranges::find(given, key, &SettingValue::first) != given.end();
  };
  for (const auto& [term, value] : table.settings)
    if (!is_given(row_of(term).option.key)) lines += line(row_of(term).option.key, value, "");
  for (const OpenQuestion& question : table.open)
    if (!question.answers.empty())
      for (const auto& [term, value] : question.answers.front().settings)
        if (!row_of(term).names_columns && !is_given(row_of(term).option.key))
          lines += line(row_of(term).option.key, kUnclearRole, meanings(question, term));
  return text + (lines.empty() ? "" : "\n[settings]\n" + lines);
}

// ---- reading
// --------------------------------------------------------------------------------------

namespace {

struct RolesFile {
  Columns data{}, annotations{}, settings{}, files{};
};

void read_part(const Toml& part, const std::string& name, Columns& into,
               std::vector<std::string>& unclear) {
  if (part.kind != Toml::Kind::Table)
    throw Error(Failure::Usage, "'" + name + "' must be a table", part.where,
                std::string(kExample));
  const bool roles = name == "data" || name == "annotations";
  for (const auto& [key, value] : part.members) {
    if (value.kind == Toml::Kind::List || value.kind == Toml::Kind::Table ||
        value.kind == Toml::Kind::Other)
      throw Error(Failure::Usage, "'" + key + "' must be a text", value.where,
                  std::string(kExample));
    if (value.text == kUnclearRole) {
      unclear.push_back(fmt::format("{} (line {})", key, value.where.line));
      continue;
    }
    if (roles && std::ranges::find(role_names(), value.text) == role_names().end())
      throw Error(Failure::Usage, "there is no role '" + value.text + "'", value.where,
                  did_you_mean(value.text, role_names(),
                               fmt::format("roles are {}", fmt::join(role_names(), ", "))));
    into.emplace_back(key, value.text);
  }
}

RolesFile read_roles(const Toml& content, const std::string& path) {
  RolesFile file;
  std::vector<std::string> unclear;
  for (const auto& [name, part] : content.members) {
    Columns* into = name == "data"          ? &file.data
                    : name == "annotations" ? &file.annotations
                    : name == "settings"    ? &file.settings
                    : name == "files"       ? &file.files
                                            : nullptr;
    if (into == nullptr)
      throw Error(Failure::Usage, "a file of roles has no table '" + name + "'", part.where,
                  "its tables are [data], [annotations], [settings] and [files]");
    read_part(part, name, *into, unclear);
  }
  if (!unclear.empty())
    throw Error(
        Failure::Data, fmt::format("these are still unclear: {}", fmt::join(unclear, ", ")),
        {path, 0, 0},
        "write what they are in the place of each \"?\"; what may be right stands beside it");
  return file;
}

std::vector<std::string> with_role(const Columns& columns, std::string_view role) {
  std::vector<std::string> names;
  for (const auto& [name, its] : columns)
    if (its == role) names.push_back(name);
  return names;
}

// The one column with a role; "" for none. Error(Usage) for several.
std::string the_one(const Columns& columns, std::string_view role, const std::string& path) {
  const std::vector<std::string> names = with_role(columns, role);
  if (names.size() > 1)
    throw Error(Failure::Usage,
                fmt::format("several columns have the role '{}': {}", role, fmt::join(names, ", ")),
                {path, 0, 0}, "give the others another role, or \"ignore\"");
  return names.empty() ? "" : names.front();
}

void put_settings(const RolesFile& file, const std::string& path, ReadSettings& all,
                  const std::vector<const ReadSetting*>& given) {
  for (const auto& [key, value] : file.settings) {
    const ReadSetting* row = find_setting(read_setting_table(), key);
    if (row == nullptr)
      throw Error(Failure::Usage, "no setting of reading is called '" + key + "'", {path, 0, 0},
                  "settings are named as flags are, without dashes in front");
    if (std::ranges::find(given, row->term, &ReadSetting::term) != given.end()) continue;
    if (const std::string problem = put_checked(*row, all, typed_value(row->option, value));
        !problem.empty())
      throw Error(Failure::Usage, key + ": " + problem, {path, 0, 0});
  }
}

// What columns of items are, whether they stand in a table of their own or in the annotations.
void put_features(const Columns& columns, TableOptions& table) {
  const TableOptions named = table;
  const auto is_named = [&](const std::string& name) {
    return std::ranges::any_of(
        std::initializer_list<const std::vector<std::string>*>{&named.text, &named.category,
                                                               &named.date, &named.ignore},
        [&](const auto* names) { return std::ranges::find(*names, name) != names->end(); });
  };
  for (const auto& [name, role] : columns) {
    if (is_named(name)) continue;
    if (role == "text") table.text.push_back(name);
    if (role == "category") table.category.push_back(name);
    if (role == "date") table.date.push_back(name);
    if (role == "ignore") table.ignore.push_back(name);
  }
}

void put_data(const Columns& columns, const std::string& path, ReadOptions& options) {
  if (columns.empty()) return;
  for (const std::string_view role : {"annotator", "vote", "unsure"})
    if (const std::vector<std::string> names = with_role(columns, role); !names.empty())
      throw Error(Failure::Usage,
                  fmt::format("'{}' of the data cannot have the role '{}'", names.front(), role),
                  {path, 0, 0}, "only annotations have such columns");
  if (!options.id_column) options.id_column = the_one(columns, "id", path);
  if (!options.labels.given()) {
    options.labels.column = the_one(columns, "labels", path);
    options.labels.names = with_role(columns, "label");
    const bool marked = std::ranges::all_of(options.labels.names, [](const std::string& name) {
      return name.starts_with("label:") || name.starts_with("candidate:") ||
             name.starts_with("truth:");
    });
    if (marked) options.labels.names.clear();  // these say it themselves
    if (!options.labels.column.empty() && !options.labels.names.empty())
      throw Error(Failure::Usage,
                  "labels are in columns of their own (\"label\") or in one that lists them "
                  "(\"labels\"), not in both",
                  {path, 0, 0}, "give one of these columns another role");
  }
  put_features(columns, options.table);
}

void put_annotations(const RolesFile& file, const std::string& path, ReadOptions& options) {
  const Columns& columns = file.annotations;
  if (columns.empty()) return;
  AnnotationOptions& ticks = options.ticks;
  // Platforms say themselves which column is which.
  if (ticks.format == "long" || ticks.format == "wide" || ticks.format == "raters") {
    if (ticks.item.empty()) ticks.item = the_one(columns, "id", path);
    if (ticks.annotator.empty()) ticks.annotator = the_one(columns, "annotator", path);
    if (ticks.annotator.empty()) ticks.annotator = "none";
    if (ticks.value.empty()) ticks.value = the_one(columns, "vote", path);
    if (ticks.value.empty()) ticks.value = "none";
    if (ticks.unsure.empty()) ticks.unsure = the_one(columns, "unsure", path);
    if (ticks.unsure.empty()) ticks.unsure = "none";
    if (ticks.label.empty())
      ticks.label = ticks.format == "long"
                        ? the_one(columns, "labels", path)
                        : fmt::format("{}", fmt::join(with_role(columns, "label"), ","));
  }
  if (!file.data.empty()) return;
  Columns of_items = columns;
  std::erase_if(of_items, [](const auto& column) {
    return column.second != "text" && column.second != "category";
  });
  put_features(of_items, options.table);
}

void apply(const Toml& content, const std::string& path, ReadSettings& all,
           const std::vector<const ReadSetting*>& given) {
  const RolesFile file = read_roles(content, path);
  put_settings(file, path, all, given);
  put_data(file.data, path, all.options);
  put_annotations(file, path, all.options);
}

}  // namespace

RolesBeside read_beside_roles(const std::string& path) {
  RolesFile file = read_roles(read_toml(path, std::string(kExample)), path);
  return {std::move(file.files), std::move(file.settings),
          !file.data.empty() || !file.annotations.empty()};
}

void apply_roles(const std::string& path, ReadSettings& all,
                 const std::vector<const ReadSetting*>& given) {
  apply(read_toml(path, std::string(kExample)), path, all, given);
}

void apply_roles_text(const std::string& text, const std::string& path, ReadSettings& all,
                      const std::vector<const ReadSetting*>& given) {
  apply(parse_toml(text, path, std::string(kExample)), path, all, given);
}

namespace {

// What names columns is for the roles to say.
ReadOptions without_columns(ReadOptions options) {
  LabelColumns labels;
  labels.separator = options.labels.separator;
  options.labels = labels;
  options.id_column.reset();
  for (auto* names :
       {&options.table.text, &options.table.category, &options.table.date, &options.table.ignore})
    names->clear();
  AnnotationOptions& of = options.ticks;
  for (std::string* name : {&of.item, &of.annotator, &of.label, &of.value, &of.unsure})
    name->clear();
  return options;
}

}  // namespace

RoleDraft::RoleDraft(std::vector<std::string> paths, ReadOptions options,
                     std::vector<SettingValue> given)
    : paths_(std::move(paths)), options_(std::move(options)), given_(std::move(given)) {
  table_ = read();
}

// A question is answered once none of its columns is unclear. One without columns is asked again by
// reading.
void RoleDraft::put_said(RoleTable& table) const {
  std::vector<std::pair<std::string, std::size_t>> unclear;  // columns left, of each question
  for (const OpenQuestion& question : table.open) unclear.emplace_back(question.message, 0);
  for (ColumnRole& column : table.columns) {
    const auto said = said_.find({column.column, column.of_annotations});
    if (said == said_.end() && column.role == kUnclearRole)
      for (auto& [message, left] : unclear) left += message == column.reason;
    if (said == said_.end()) continue;
    column.role = said->second;
    column.reason = "given";
  }
  std::erase_if(table.open, [&](const OpenQuestion& question) {
    return std::ranges::find(unclear, std::pair(question.message, std::size_t{0})) != unclear.end();
  });
}

// Of annotations that cannot be read, somebody has to say what their columns are.
RoleTable RoleDraft::guess() const {
  try {
    return guess_roles(paths_, options_);
  } catch (const Error& error) {
    if (error.kind() != Failure::Data || options_.ticks.path.empty()) throw;
    return roles_by_names(paths_, options_, error.message());
  }
}

RoleTable RoleDraft::read() const {
  RoleTable table = guess();
  if (said_.empty()) return table;
  put_said(table);
  if (!table.open.empty()) return table;
  const auto has = [&](const char* role) {
    return std::ranges::any_of(table.columns, [&](const ColumnRole& column) {
      return column.of_annotations && column.role == role;
    });
  };
  if (table.settings.empty() && options_.ticks.format.empty() && (has("labels") || has("label")))
    table.settings.emplace_back("ticks.format", has("labels") ? "long" : "wide");
  ReadSettings all{without_columns(options_), {}};
  apply_roles_text(roles_text(table, given_), "roles", all);
  table = guess_roles(paths_, all.options);
  for (ColumnRole& column : table.columns) {
    const auto said = said_.find({column.column, column.of_annotations});
    if (said == said_.end()) continue;
    if (column.role != said->second && column.role != kUnclearRole)
      throw Error(Failure::Usage, "'" + column.column + "' cannot be read as '" + said->second +
                                      "': it stays '" + column.role + "'");
    column.reason = "given";
  }
  return table;
}

void RoleDraft::correct(const std::string& column, bool of_annotations, const std::string& role) {
  const auto before = said_;
  said_[{column, of_annotations}] = role;
  // Rows and annotations are joined by columns of one name.
  const bool in_data = std::ranges::any_of(table_.columns, [&](const ColumnRole& one) {
    return !one.of_annotations && one.column == column;
  });
  const bool has_id = std::ranges::any_of(table_.columns, [](const ColumnRole& one) {
    return !one.of_annotations && one.role == "id";
  });
  if (of_annotations && role == "id" && in_data && !has_id) said_[{column, false}] = role;
  try {
    table_ = read();
  } catch (...) {
    said_ = before;
    throw;
  }
}

void RoleDraft::answer(std::size_t question, std::size_t answer) {
  if (question >= table_.open.size() || answer >= table_.open[question].answers.size())
    throw Error(Failure::Usage, "there is no such answer");
  const ReadAnswer& chosen = table_.open[question].answers[answer];
  const ReadOptions options = options_;
  const std::vector<SettingValue> given = given_;
  try {
    take_answer(options_, chosen);
    for (const auto& [term, value] : chosen.settings)
      given_.emplace_back(find_setting(read_setting_table(), term)->option.key, value);
    table_ = read();
  } catch (...) {
    options_ = options;
    given_ = given;
    throw;
  }
}

std::string RoleDraft::text() const {
  return roles_text(table_, given_);
}

}  // namespace sieve
