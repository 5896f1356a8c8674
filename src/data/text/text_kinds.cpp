#include "data/text/text_kinds.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstddef>

#include "base/parse_number.h"

namespace sieve {
namespace {

constexpr std::size_t kLongestName = 4096;  // of a file or a URL

struct Ending {
  std::string_view ending, type;
};
constexpr std::array kEndings = {
    Ending{".png", "image/png"},   Ending{".jpg", "image/jpeg"},  Ending{".jpeg", "image/jpeg"},
    Ending{".gif", "image/gif"},   Ending{".webp", "image/webp"}, Ending{".avif", "image/avif"},
    Ending{".bmp", "image/bmp"},   Ending{".mp3", "audio/mpeg"},  Ending{".wav", "audio/wav"},
    Ending{".ogg", "audio/ogg"},   Ending{".oga", "audio/ogg"},   Ending{".opus", "audio/ogg"},
    Ending{".flac", "audio/flac"}, Ending{".m4a", "audio/mp4"}};

}  // namespace

std::string_view path_of_name(std::string_view name) {
  const std::size_t scheme = name.find("://");
  if (scheme == name.npos) return name;
  name = name.substr(0, name.find_first_of("?#"));
  const std::size_t path = name.find('/', scheme + 3);
  return path == name.npos ? std::string_view() : name.substr(path + 1);
}

std::string media_type(std::string_view name) {
  if (name.size() > kLongestName) return {};
  std::string lower(path_of_name(name));
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const Ending& row : kEndings)
    if (lower.size() > row.ending.size() && lower.ends_with(row.ending))
      return std::string(row.type);
  return {};
}

bool has_words(std::string_view text, std::size_t least) {
  std::size_t words = 0, letters = 0, others = 0;
  bool inside = false;
  for (const unsigned char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    words += !blank && !inside;
    inside = !blank;
    if (!blank) ++(std::isalpha(c) != 0 || c >= 0x80 ? letters : others);
  }
  return words >= least && letters >= 2 * others;
}

namespace {

// Takes `digits` digits off the front.
std::optional<unsigned> take_number(std::string_view& text, std::size_t digits) {
  const auto number = parse_number<unsigned>(text.substr(0, digits));
  if (text.size() < digits || !number) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

// "12:30", "12:30:59", "12:30:59.5", with or without a Z, as a share of a day.
std::optional<double> share_of_day(std::string_view text) {
  const auto hours = take_number(text, 2);
  if (!hours || *hours > 23 || !take(text, ':')) return std::nullopt;
  const auto minutes = take_number(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  if (text.ends_with('Z')) text.remove_suffix(1);
  double seconds = 0;
  if (!text.empty()) {
    if (!take(text, ':') || text.size() < 2 || text[0] == '-') return std::nullopt;
    const auto number = parse_number<double>(text);
    if (!number || *number >= 61) return std::nullopt;
    seconds = *number;
  }
  return (*hours * 3600.0 + *minutes * 60.0 + seconds) / 86400;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::optional<double> days_of_date(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day));
  if (!date.ok()) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (text.empty()) return days;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto share = share_of_day(text);
  if (!share) return std::nullopt;
  return days + *share;
}

bool looks_like_date(std::string_view text) {
  if (days_of_date(text)) return true;
  // 1/5/2024, 01.05.24, 2024/05/01: three numbers between two equal marks.
  std::size_t numbers = 0;
  char mark = 0;
  for (std::size_t k = 0; k < text.size();) {
    std::size_t digits = 0;
    while (k < text.size() && is_digit(text[k])) ++k, ++digits;
    if (digits == 0 || digits > 4) return false;
    ++numbers;
    if (numbers == 3) return k == text.size() || text[k] == ' ';
    if (k == text.size() || std::string_view("/.-").find(text[k]) == std::string_view::npos)
      return false;
    if (mark != 0 && text[k] != mark) return false;
    mark = text[k++];
  }
  return false;
}

}  // namespace sieve
