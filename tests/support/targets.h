#pragma once

#include <functional>
#include <string>

namespace sieve::test {

// Calls body(name) with each target of this processor in use; what was in use comes back.
void with_each_target(const std::function<void(const std::string&)>& body);

}  // namespace sieve::test
