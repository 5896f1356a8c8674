#pragma once

#include <string>

#include "options.h"

namespace sieve {

// What `sieve` alone prints: all verbs, a few examples, where to read on.
std::string overview();

// Everything about one verb.
std::string help_of(const Verb& verb);

}  // namespace sieve
