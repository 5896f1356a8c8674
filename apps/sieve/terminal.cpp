#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/table.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool colours() {
  static const bool wanted = has_colours(STDOUT_FILENO);
  return wanted;
}

constexpr std::string_view kBold = "\x1b[1m", kYellow = "\x1b[33m", kPlain = "\x1b[0m",
                           kGrey = "\x1b[2m", kBlue = "\x1b[1;34m", kRed = "\x1b[1;31m";

std::string in_code(std::string_view text, std::string_view code) {
  return std::string(code) + std::string(text) + std::string(kPlain);
}

std::string painted(const std::string& text, std::string_view code) {
  return colours() ? in_code(text, code) : text;
}

// The emphasis at the front of a text, or nothing.
std::string_view emphasis_at(std::string_view text) {
  for (const std::string_view code : {kBold, kYellow, kPlain, kGrey, kBlue})
    if (colours() && text.starts_with(code)) return code;
  return {};
}

void tell_in(std::string_view code, const std::string& message) {
  const std::string name = "sieve:";
  write_all(STDERR_FILENO, (has_colours(STDERR_FILENO) ? in_code(name, code) : name) + " " +
                               visible(message, "\n\t") + "\n");
}

// How long the claim at the front of a text is, as in "guess 85 % (68 to 94)"; 0: there is none.
std::size_t claim_size(std::string_view text, std::string_view basis) {
  if (!text.starts_with(basis)) return 0;
  const std::size_t end = text.find(')'), line = text.find('\n');
  const std::size_t figure = text.find_first_not_of(' ', basis.size());
  const bool is_claim = end < line && figure < end &&
                        (text[figure] == '<' || (text[figure] >= '0' && text[figure] <= '9'));
  return is_claim ? end + 1 : 0;
}

}  // namespace

std::size_t terminal_width(int descriptor) {
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const std::string_view word = columns;
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), width);
    if (error == std::errc() && end == word.data() + word.size() && width > 0) return width;
  }
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) return size.ws_col;
  return 80;
}

bool is_drawable(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

bool has_colours(int descriptor) {
  return is_drawable(descriptor) && !is_set("NO_COLOR");
}

bool shows_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!is_set(name)) continue;
    std::string locale = std::getenv(name);
    std::ranges::transform(locale, locale.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf") != std::string::npos;
  }
  return true;
}

std::string bold(const std::string& text) {
  return painted(text, kBold);
}

std::string warning_colour(const std::string& text) {
  return painted(text, kYellow);
}

std::string with_colours(const std::string& given) {
  if (!colours()) return given;
  std::string_view text = given;
  const std::size_t first = std::min(text.find('\n'), text.size());
  std::string out = first == 0 ? "" : in_code(text.substr(0, first), kBold);
  text.remove_prefix(first);
  while (!text.empty()) {
    const bool begins = out.empty() || out.back() == ' ' || out.back() == '\n';
    const std::size_t guess = begins ? claim_size(text, "guess ") : 0,
                      audited = begins ? claim_size(text, "audited ") : 0;
    const std::size_t size = std::max({guess, audited, std::size_t{1}});
    out += guess > 0     ? in_code(text.substr(0, size), kGrey)
           : audited > 0 ? in_code(text.substr(0, size), kBlue)
                         : std::string(text.substr(0, 1));
    text.remove_prefix(size);
  }
  return out;
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
  tell_in(kGrey, message);
}

void tell_failure(const std::string& message) {
  tell_in(kRed, message);
}

}  // namespace sieve
