#include "verbs.h"

namespace sieve {
namespace {

Report run(const Arguments&) {
  return {.text = "no learning methods are built into this version\n",
          .json = Json::object({{"methods", Json::array({})}})};
}

}  // namespace

Verb methods_verb() {
  return {.name = "methods",
          .summary = "list the learning methods",
          .example = "sieve methods",
          .run = run};
}

}  // namespace sieve
