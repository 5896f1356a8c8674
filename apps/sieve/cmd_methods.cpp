#include "labelsieve/learner.h"
#include "report/rendered.h"
#include "verbs.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  const Rendered rendered = arguments.words().empty()
                                ? render_methods()
                                : render_method(method_info(arguments.words().front()));
  return {.text = rendered.text, .json = rendered.json};
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
