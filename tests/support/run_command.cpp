#include "support/run_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "support/support.h"

namespace sieve::test {

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

namespace {

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Ran run_program(const std::vector<std::string>& words, const RunOptions& options) {
  const TempFolder temp;
  write_file(temp / "in", options.input);
  std::string line = "cd " + shell_quoted(options.folder.empty() ? "." : options.folder) +
                     " && exec env -i PATH=" + shell_quoted(std::getenv("PATH"));
  // Under the address sanitizer a program does not find its module by itself.
  if (const char* modules = std::getenv("LD_LIBRARY_PATH"))
    line += " LD_LIBRARY_PATH=" + shell_quoted(modules);
  for (const auto& [name, value] : options.set) line += " " + name + "=" + shell_quoted(value);
  for (const std::string& word : words) line += " " + shell_quoted(word);
  line += " <" + shell_quoted(temp / "in") + " >" + shell_quoted(temp / "out") + " 2>" +
          shell_quoted(temp / "err") + " " + options.redirect;
  const int status = std::system(line.c_str());
  Ran ran;
  ran.code = exit_code_of(status);
  ran.out = read_file(temp / "out");
  ran.err = read_file(temp / "err");
  return ran;
}

RunningProgram::RunningProgram(const std::vector<std::string>& words, const std::string& folder) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ != 0) return;
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  if (::chdir(folder.c_str()) == 0) ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

RunningProgram::~RunningProgram() {
  if (ended()) return;
  signal(SIGKILL);
  wait();
}

bool RunningProgram::ended() {
  if (!ended_) ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

bool RunningProgram::wait_until(const std::function<bool()>& condition) {
  while (!condition()) {
    if (ended()) return condition();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // leave the processor to it
  }
  return true;
}

void RunningProgram::signal(int number) const {
  ::kill(pid_, number);
}

int RunningProgram::wait() {
  if (!ended_) ::waitpid(pid_, &status_, 0);
  ended_ = true;
  return exit_code_of(status_);
}

}  // namespace sieve::test
