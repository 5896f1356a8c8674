#pragma once

namespace sieve {

// "major.minor.patch" of the library in use.
const char* version();

}  // namespace sieve
