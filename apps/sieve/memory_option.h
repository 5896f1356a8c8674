#pragma once

#include "options.h"

namespace sieve {

// --max-memory, a flag of every verb.
Option memory_option();
// Sets the limit that was asked for. Error(Usage) if it is no size.
void heed_memory_option(const Arguments& arguments);

}  // namespace sieve
