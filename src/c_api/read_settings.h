#pragma once

#include <string>

#include "base/json.h"
#include "data/read_settings.h"
#include "labelsieve/data_io.h"
#include "labelsieve/prepare.h"

// Settings in JSON for what the library reads and makes up.
namespace sieve {

// Error(Usage) naming a key that there is not, with the nearest, or a value that makes no sense.
ReadSettings read_settings(const char* json);
SynthOptions synth_settings(const char* json);

// The settings that reading and making up take, by the names that Python has for them.
Json read_settings_json();
Json synth_settings_json();

}  // namespace sieve
