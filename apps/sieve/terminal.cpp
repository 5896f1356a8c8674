#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/table.h"
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

constexpr std::string_view kBold = "\x1b[1m", kYellow = "\x1b[33m", kPlain = "\x1b[0m";

std::string painted(const std::string& text, std::string_view code) {
  return colours() ? std::string(code) + text + std::string(kPlain) : text;
}

// The emphasis at the front of a text, or nothing.
std::string_view emphasis_at(std::string_view text) {
  for (const std::string_view code : {kBold, kYellow, kPlain})
    if (colours() && text.starts_with(code)) return code;
  return {};
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
  return painted(text, kBold);
}

std::string warning_colour(const std::string& text) {
  return painted(text, kYellow);
}

std::string harmless(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view code = emphasis_at(text);
    text.remove_prefix(code.size());
    const std::size_t end = std::min(text.find('\x1b', code.empty() ? 1 : 0), text.size());
    out += std::string(code) + visible(text.substr(0, end), "\n\t");
    text.remove_prefix(end);
  }
  return out;
}

void StandardOutput::write(std::string_view bytes) {
  static const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const int error = write_all(STDOUT_FILENO, terminal ? harmless(bytes) : bytes);
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

void tell(const std::string& message) {
  write_all(STDERR_FILENO, harmless("sieve: " + message + "\n"));
}

}  // namespace sieve
