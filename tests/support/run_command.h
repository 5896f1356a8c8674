#pragma once

#include <functional>
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

// Runs a program and waits for its end. The environment has PATH, LD_LIBRARY_PATH and `set` only.
Ran run_program(const std::vector<std::string>& words, const RunOptions& options = {});

// A program that runs on beside the test, to be interrupted. Its output is thrown away.
class RunningProgram {
 public:
  RunningProgram(const std::vector<std::string>& words, const std::string& folder);
  ~RunningProgram();  // kills it if it still runs
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  // Waits until `condition` holds; false if the program ends before.
  bool wait_until(const std::function<bool()>& condition);
  void signal(int number) const;
  int process() const { return pid_; }
  int wait();  // the exit code, 128 + n for an end by signal n

 private:
  bool ended();
  int pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

// `text` as one word of a shell line.
std::string shell_quoted(const std::string& text);

}  // namespace sieve::test
