#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "options.h"
#include "verbs.h"

namespace sieve {
namespace {

std::string flag_names(const Verb& verb) {
  std::vector<std::string> names = {"--help"};
  for (const Option& option : verb.options) names.push_back("--" + option.key);
  return joined(names, " ");
}

// What can follow the verb besides flags and files.
std::string words_of(const Verb& verb, const std::vector<Verb>& verbs) {
  if (verb.name == "help") return joined(names_of(verbs), " ");
  if (verb.name == "completion") return "bash zsh fish";
  return {};
}

// Inside single quotes of any of the shells; a colon would end a part of a zsh description.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != '\'' && c != '[' && c != ']' && c != ':' && c != '\\') out += c;
  return out;
}

std::string bash_values(const Verb& verb) {
  std::string out, without;
  for (const Option& option : verb.options) {
    const std::string pattern = fmt::format("'{} --{}'", verb.name, option.key);
    if (option.type == Option::Type::Choice)
      out += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                         pattern, joined(option.choices, " "));
    else if (option.type == Option::Type::Path)
      out += fmt::format("    {}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", pattern);
    else if (option.type != Option::Type::Flag)
      without += (without.empty() ? "" : "|") + pattern;
  }
  return without.empty() ? out : out + "    " + without + ") return ;;\n";
}

std::string zsh_argument(const Option& option) {
  const std::string head = fmt::format("'--{}[{}]", option.key, plain(option.help));
  switch (option.type) {
    case Option::Type::Flag:
      return head + "'";
    case Option::Type::Choice:
      return head + ":value:(" + joined(option.choices, " ") + ")'";
    case Option::Type::Path:
      return head + ":file:_files'";
    default:
      return head + ":" + plain(meta_of(option)) + ": '";
  }
}

// Scripts that teach a shell the verbs, their flags and the values of the flags.
std::string bash_completion(const std::vector<Verb>& verbs) {
  std::string values, flags;
  for (const Verb& verb : verbs) {
    values += bash_values(verb);
    const std::string words = words_of(verb, verbs);
    flags += fmt::format("    {}) flags='{}' words='{}' ;;\n", verb.name, flag_names(verb), words);
  }
  return fmt::format(
      "# bash completion of sieve; load it with: source <(sieve completion bash)\n"
      "_sieve() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  local verb=${{COMP_WORDS[1]}} flags='' words=''\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\")); return\n"
      "  fi\n"
      "  case \"$verb $before\" in\n{}  esac\n"
      "  case \"$verb\" in\n{}  esac\n"
      "  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "  elif [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
      "}}\n"
      "complete -o filenames -F _sieve sieve\n",
      joined(names_of(verbs), " "), values, flags);
}

std::string zsh_completion(const std::vector<Verb>& verbs) {
  std::string names, cases;
  for (const Verb& verb : verbs) {
    names += fmt::format("    '{}:{}'\n", verb.name, plain(verb.summary));
    cases += fmt::format("    {}) _arguments '--help[explain the verb]'", verb.name);
    for (const Option& option : verb.options) cases += " \\\n      " + zsh_argument(option);
    const std::string words = words_of(verb, verbs);
    cases += words.empty() ? " \\\n      '*:file:_files' ;;\n"
                           : " \\\n      '1:word:(" + words + ")' ;;\n";
  }
  return fmt::format(
      "#compdef sieve\n"
      "# zsh completion of sieve; save it as _sieve in a folder of $fpath\n"
      "_sieve() {{\n"
      "  local -a verbs=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then _describe 'verb' verbs; return; fi\n"
      "  local verb=$words[2]\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $verb in\n{}  esac\n"
      "}}\n"
      "if [ \"$funcstack[1]\" = _sieve ]; then _sieve \"$@\"; else compdef _sieve sieve; fi\n",
      names, cases);
}

std::string fish_completion(const std::vector<Verb>& verbs) {
  std::string out = "# fish completion of sieve; load it with: sieve completion fish | source\n";
  for (const Verb& verb : verbs) {
    out += fmt::format("complete -c sieve -n __fish_use_subcommand -f -a {} -d '{}'\n", verb.name,
                       plain(verb.summary));
    const std::string when =
        fmt::format("complete -c sieve -n '__fish_seen_subcommand_from {}'", verb.name);
    const std::string words = words_of(verb, verbs);
    if (!words.empty()) out += fmt::format("{} -f -a '{}'\n", when, words);
    for (const Option& option : verb.options) {
      out += fmt::format("{} -l {} -d '{}'", when, option.key, plain(option.help));
      if (option.type == Option::Type::Choice)
        out += fmt::format(" -x -a '{}'", joined(option.choices, " "));
      else if (option.type == Option::Type::Path)
        out += " -r -F";
      else if (option.type != Option::Type::Flag)
        out += " -x";
      out += '\n';
    }
  }
  return out;
}

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
