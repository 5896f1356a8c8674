#pragma once

#include <span>
#include <string>

#include "labelsieve/options.h"

namespace sieve {

// As the function of that name for a list that is written out.
std::string rerun(std::span<const Term> settings);

}  // namespace sieve
