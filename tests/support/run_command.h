#pragma once

#include <map>
#include <string>
#include <vector>

namespace sieve::test {

struct Ran {
  int code = -1;  // 128 + n for an end by signal n
  std::string out, err;
};

struct RunOptions {
  std::string folder{};                      // to run in; "" for here
  std::map<std::string, std::string> set{};  // environment variables, on top of a bare PATH
  std::string input{};                       // standard input
  std::string redirect{};                    // shell redirections, e.g. ">/dev/full"
};

// Runs a program and waits for its end. The environment has PATH and `set` only.
Ran run_program(const std::vector<std::string>& words, const RunOptions& options = {});

// `text` as one word of a shell line.
std::string shell_quoted(const std::string& text);

}  // namespace sieve::test
