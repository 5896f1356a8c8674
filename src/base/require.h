#pragma once

#include <string>
#include <utility>

#include "labelsieve/error.h"

namespace sieve {

// Refuses an argument that makes no sense.
inline void require(bool holds, std::string message, std::string hint = {}) {
  if (!holds) throw Error(Failure::Usage, std::move(message), {}, std::move(hint));
}

}  // namespace sieve
