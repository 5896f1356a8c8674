#pragma once

#include <string>
#include <string_view>

#include "labelsieve/data_io.h"

namespace sieve {

// The format of a file from its first bytes (unpacked) and its name. Content that can be nothing
// else wins over the name, the name over a guess. Error(Data) if neither tells.
Format detect_format(std::string_view front, const std::string& path);

}  // namespace sieve
