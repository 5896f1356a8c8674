#pragma once

#include <string>

#include "labelsieve/data_io.h"
#include "labelsieve/prepare.h"

// Settings in JSON for what the library reads and makes up.
namespace sieve {

struct ReadSettings {
  ReadOptions options;
  std::string truth;  // a file with the true labels
};
// Error(Usage) naming a key that there is not, with the nearest, or a value that makes no sense.
ReadSettings read_settings(const char* json);
SynthOptions synth_settings(const char* json);

}  // namespace sieve
