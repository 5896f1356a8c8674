#include "labelsieve/learner.h"
#include "report/told.h"
#include "verbs.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  const Told told = arguments.words().empty() ? tell_methods()
                                              : tell_method(method_info(arguments.words().front()));
  return {.text = told.text, .json = told.json};
}

}  // namespace

Verb methods_verb() {
  return {.name = "methods",
          .summary = "list the learning methods, or the options of one",
          .arguments = "[NAME]",
          .most_words = 1,
          .example = "sieve methods pml-gan",
          .run = run};
}

}  // namespace sieve
