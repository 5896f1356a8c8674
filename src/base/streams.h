#pragma once

#include <memory>
#include <string>

#include "labelsieve/files.h"

namespace sieve {

// Up to `size` bytes from the front of `in`; fewer only at its end.
std::string read_front(InputStream& in, std::size_t size);

// Hands out `front` again, then the rest of `in`.
std::unique_ptr<InputStream> rewound(std::unique_ptr<InputStream> in, std::string front);

}  // namespace sieve
