#pragma once

#include "base/json.h"
#include "labelsieve/claims.h"

namespace sieve {

Json json_of(const Claim& claim);
// With 9 digits, which every machine computes alike.
Json json_share(double value);

}  // namespace sieve
