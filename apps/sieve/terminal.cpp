#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "labelsieve/error.h"

namespace sieve {
namespace {

bool colours() {
  static const bool wanted = [] {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return ::isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
           (terminal == nullptr || std::string_view(terminal) != "dumb");
  }();
  return wanted;
}

std::string painted(const std::string& text, const char* code) {
  return colours() ? code + text + "\x1b[0m" : text;
}

}  // namespace

std::size_t terminal_width() {
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const std::string_view word = columns;
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), width);
    if (error == std::errc() && end == word.data() + word.size()) return width;
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) return size.ws_col;
  return 80;
}

std::string bold(const std::string& text) {
  return painted(text, "\x1b[1m");
}

std::string warning_colour(const std::string& text) {
  return painted(text, "\x1b[33m");
}

void StandardOutput::write(std::string_view bytes) {
  const int error = write_all(STDOUT_FILENO, bytes);
  if (error == EPIPE) throw ClosedOutput();
  if (error != 0)
    throw Error(Failure::Io, std::string("standard output: write failed: ") + std::strerror(error));
}

int write_all(int descriptor, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t put = ::write(descriptor, rest.data(), rest.size());
    if (put >= 0)
      rest.remove_prefix(static_cast<std::size_t>(put));
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

}  // namespace sieve
