#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "data/read_settings.h"
#include "data/roles/guess_roles.h"

// Files of roles (docs/formats/roles.md): TOML with the tables [data], [annotations], [settings].

namespace sieve {

// The file for these roles. `given` are settings that were given beside them, by key.
std::string roles_text(const RoleTable& table, const std::vector<SettingValue>& given = {});

// What a file of roles says of files ([files], for workspaces alone) and of settings, by key.
struct RolesBeside {
  std::vector<SettingValue> files{}, settings{};
  bool has_columns = false;
};
RolesBeside read_beside_roles(const std::string& path);

// Puts what the file says into the settings, but for settings that were given and columns that they
// name. Error(Usage) with the line for anything but roles and settings of reading; Error(Data) that
// lists all that is still unclear.
void apply_roles(const std::string& path, ReadSettings& all,
                 const std::vector<const ReadSetting*>& given);
// The same for the text of a file, which `path` names in messages.
void apply_roles_text(const std::string& text, const std::string& path, ReadSettings& all,
                      const std::vector<const ReadSetting*>& given = {});

// What columns are taken for, while somebody corrects it column by column. What was said becomes
// part of the settings once nothing is unclear any more: what is shown is what reading does.
class RoleDraft {
 public:
  // `given` are settings that were given, by key; the options hold them already. Throws what
  // guess_roles() does.
  RoleDraft(std::vector<std::string> paths, ReadOptions options, std::vector<SettingValue> given);

  const RoleTable& table() const { return table_; }
  bool is_clear() const { return table_.open.empty(); }
  // The role of a column, or the answer to a question, by their numbers. Any error of reading the
  // files so, and Error(Usage) where the column cannot have the role: nothing is changed then.
  void correct(const std::string& column, bool of_annotations, const std::string& role);
  void answer(std::size_t question, std::size_t answer);
  // The file of roles.
  std::string text() const;

 private:
  using Column = std::pair<std::string, bool>;  // its name, and whether it is of the annotations

  RoleTable read() const;
  RoleTable guess() const;
  void put_said(RoleTable& table) const;

  std::vector<std::string> paths_;
  ReadOptions options_;
  std::vector<SettingValue> given_;
  std::map<Column, std::string> said_;
  RoleTable table_;
};

}  // namespace sieve
