#include "labelsieve/model_io.h"
#include "report/rendered.h"
#include "verbs.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  const Rendered rendered = render_state(load_any_state(arguments.words().front()));
  return {.text = rendered.text, .json = rendered.json};
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
