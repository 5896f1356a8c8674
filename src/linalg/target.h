#pragma once

#include <string>
#include <vector>

namespace sieve {

// Which vector instructions the kernels use: "avx512", "avx2", or "plain", which needs nothing but
// is slow. The bits of a result are the same with each of them.

// Those that this processor has, the widest first. The last is always "plain".
std::vector<std::string> targets();

// What is in use; at first the widest there is.
std::string target();

// Uses this target from now on, in all threads: call it before there are any others. Error(Usage)
// names those there are where it is none of them.
void use_target(const std::string& name);

}  // namespace sieve
