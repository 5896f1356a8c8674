#include "support/terminal.h"

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace sieve::test {
namespace {

std::size_t size_of_character(std::string_view bytes) {
  std::size_t size = 1;
  while (size < bytes.size() && (static_cast<unsigned char>(bytes[size]) & 0xC0U) == 0x80U) ++size;
  return size;
}

[[noreturn]] void become(const std::vector<std::string>& words, const std::string& folder,
                         const std::vector<std::string>& environment) {
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  std::vector<std::string> set = environment;
  for (const char* name : {"PATH", "LD_LIBRARY_PATH"})
    if (const char* value = std::getenv(name)) set.push_back(std::string(name) + "=" + value);
  std::vector<char*> arguments, variables;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& line : set) variables.push_back(const_cast<char*>(line.c_str()));
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  ::execve(arguments[0], arguments.data(), variables.data());
  ::_exit(127);
}

}  // namespace

std::vector<std::string>& Screen::line() {
  if (row_ >= lines_.size()) lines_.resize(row_ + 1);
  return lines_[row_];
}

void Screen::code(std::string_view code) {
  if (code == "\x1b[K") line().resize(std::min(line().size(), column_));
}

void Screen::put(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t size = size_of_character(bytes);
    if (bytes[0] == '\x1b') {
      size = std::min(bytes.find_first_of("mKhlJ"), bytes.size() - 1) + 1;
      code(bytes.substr(0, size));
    } else if (bytes[0] == '\r') {
      column_ = 0;
    } else if (bytes[0] == '\n') {
      ++row_, column_ = 0;
    } else {
      if (columns_ != 0 && column_ == columns_) ++row_, column_ = 0;
      if (line().size() <= column_) line().resize(column_ + 1, " ");
      line()[column_++] = bytes.substr(0, size);
    }
    bytes.remove_prefix(size);
  }
}

std::string Screen::text() const {
  std::string all;
  for (const auto& characters : lines_) {
    std::string text;
    for (const std::string& character : characters) text += character;
    text.erase(text.find_last_not_of(' ') + 1);
    all += text + "\n";
  }
  while (all.ends_with("\n\n") || all == "\n") all.pop_back();
  return all;
}

InTerminal run_in_terminal(const std::vector<std::string>& words, std::size_t columns,
                           const std::string& folder, const std::vector<std::string>& environment) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = 50;
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) throw std::runtime_error("forkpty failed");
  if (child == 0) become(words, folder, environment);
  InTerminal ran;
  std::array<char, 4096> some{};
  for (ssize_t got = 0; (got = ::read(terminal, some.data(), some.size())) > 0;)
    ran.bytes.append(some.data(), static_cast<std::size_t>(got));
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

}  // namespace sieve::test
