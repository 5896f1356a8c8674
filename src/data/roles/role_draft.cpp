#include "data/roles/role_draft.h"

#include <algorithm>

#include "data/roles/roles_file.h"
#include "labelsieve/error.h"

namespace sieve {
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
