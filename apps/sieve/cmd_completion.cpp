#include "completion.h"
#include "verbs.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  const std::string& shell = arguments.words().front();
  std::string script;
  if (shell == "bash")
    script = bash_completion(all_verbs());
  else if (shell == "zsh")
    script = zsh_completion(all_verbs());
  else if (shell == "fish")
    script = fish_completion(all_verbs());
  else
    throw usage_error("no completion for '" + shell + "'", "the shells are: bash, zsh, fish");
  return {.text = script, .json = Json::object({{"shell", shell}, {"script", script}})};
}

}  // namespace

Verb completion_verb() {
  return {.name = "completion",
          .summary = "print a script that completes verbs and flags in your shell",
          .arguments = "bash|zsh|fish",
          .least_words = 1,
          .most_words = 1,
          .example = "source <(sieve completion bash)",
          .run = run};
}

}  // namespace sieve
