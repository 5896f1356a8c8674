#pragma once

#include <string>

#include "labelsieve/dataset.h"

namespace sieve {

// A short text that is the same for the same content (same_content) in the same storage, and
// another one for any other content but by a very rare accident. One pass over the data.
std::string fingerprint(const Dataset& data);

}  // namespace sieve
