#pragma once

#include <vector>

#include "base/setting_table.h"
#include "labelsieve/prepare.h"

namespace sieve {

// How a crowd is made up: one row per setting, in the order of the help.
const std::vector<SettingRow<SynthOptions>>& synth_setting_table();

}  // namespace sieve
