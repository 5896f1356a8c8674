#include "data/recipe/dates.h"

#include <chrono>

#include "base/parse_number.h"

namespace sieve {
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
