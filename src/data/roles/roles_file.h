#pragma once

#include <string>
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

}  // namespace sieve
