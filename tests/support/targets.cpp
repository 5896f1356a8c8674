#include "support/targets.h"

#include <cstdlib>

#include "linalg/target.h"

namespace sieve::test {
namespace {

// The tests of a module can be run with a narrower target than the processor has.
[[maybe_unused]] const bool asked = [] {
  if (const char* name = std::getenv("SIEVE_TARGET")) use_target(name);
  return true;
}();

}  // namespace

void with_each_target(const std::function<void(const std::string&)>& body) {
  struct Back {
    std::string name = target();
    ~Back() { use_target(name); }
  } const back;
  for (const std::string& name : targets()) {
    use_target(name);
    body(name);
  }
}

}  // namespace sieve::test
