#include "support/run_command.h"

#include <sys/wait.h>

#include <cstdlib>

#include "support/support.h"

namespace sieve::test {

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Ran run_program(const std::vector<std::string>& words, const RunOptions& options) {
  const TempFolder temp;
  write_file(temp / "in", options.input);
  std::string line = "cd " + shell_quoted(options.folder.empty() ? "." : options.folder) +
                     " && exec env -i PATH=" + shell_quoted(std::getenv("PATH"));
  for (const auto& [name, value] : options.set) line += " " + name + "=" + shell_quoted(value);
  for (const std::string& word : words) line += " " + shell_quoted(word);
  line += " <" + shell_quoted(temp / "in") + " >" + shell_quoted(temp / "out") + " 2>" +
          shell_quoted(temp / "err") + " " + options.redirect;
  const int status = std::system(line.c_str());
  Ran ran;
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ran.out = read_file(temp / "out");
  ran.err = read_file(temp / "err");
  return ran;
}

}  // namespace sieve::test
