#include "labelsieve/model_io.h"
#include "report/told.h"
#include "verbs.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  const Told told = tell_state(load_any_state(arguments.words().front()));
  return {.text = told.text, .json = told.json};
}

}  // namespace

Verb info_verb() {
  return {.name = "info",
          .summary = "show what is in a model or a checkpoint",
          .arguments = "MODEL",
          .least_words = 1,
          .most_words = 1,
          .details = "MODEL may be a pipe, or - for standard input.",
          .example = "sieve info crowd.model",
          .run = run};
}

}  // namespace sieve
