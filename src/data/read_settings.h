#pragma once

#include <string>
#include <vector>

#include "base/setting_table.h"
#include "labelsieve/data_io.h"
#include "labelsieve/prepare.h"

// The one table of how data is read. A setting is a row of it: the flag, its help, the keys of
// configurations and plans, the words of hints, the C interface and Python's argument follow.

namespace sieve {

struct ReadSettings {
  ReadOptions options;
  std::string truth;  // a file with the true labels
};

using ReadSetting = SettingRow<ReadSettings>;

// Of the data itself, in the order of the help.
const std::vector<ReadSetting>& data_settings();
// Of the annotations that are joined to it.
const std::vector<ReadSetting>& annotation_settings();
// The true labels, in a file of their own.
const ReadSetting& truth_setting();
// All of them.
const std::vector<ReadSetting>& read_setting_table();

// The names that a format can be given by.
std::vector<std::string> format_choices();

// Error(Usage) where settings that were given do not go together; `name` is what the user calls
// one.
void check_read_settings(const ReadSettings& all, const std::vector<const ReadSetting*>& given,
                         const NameOfSetting<ReadSettings>& name);

// How a crowd is made up: one row per setting, in the order of the help.
const std::vector<SettingRow<SynthOptions>>& synth_setting_table();

}  // namespace sieve
