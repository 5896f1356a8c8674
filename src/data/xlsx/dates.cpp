#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "data/xlsx/workbook.h"

namespace sieve {

bool is_date_format(std::string_view format) {
  bool date = false;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (c == ';') break;  // what follows is for negative numbers, zero and text
    if (c == '\\' || c == '_' || c == '*') {
      ++i;  // the next character is shown, skipped or repeated
    } else if (c == '"') {
      i = std::min(format.find('"', i + 1), format.size());
    } else if (c == '[') {
      const std::size_t end = std::min(format.find(']', i), format.size());
      const std::string_view inside = format.substr(i + 1, end - i - 1);
      // [h] counts the hours of a span of time.
      if (!inside.empty() && inside.find_first_not_of("hHmMsS") == inside.npos) return false;
      i = end;
    } else if (std::string_view("dDmMyYhHsS").find(c) != std::string_view::npos) {
      date = true;
    } else if (c == '0' && !date) {
      return false;
    } else if (c == '#' || c == '?' || format.substr(i).starts_with("General")) {
      return false;
    }
  }
  return date;
}

bool append_date(std::string& out, double number, bool from_1904) {
  constexpr double kLast = 2958466;  // the first day of the year 10000
  constexpr long kMilliseconds = 86400000;
  if (!(number >= 0 && number < kLast)) return false;
  auto day = static_cast<long>(std::floor(number));
  auto time = std::lround((number - static_cast<double>(day)) * kMilliseconds);
  if (time == kMilliseconds) time = 0, ++day;
  // Excel believes that 1900 was a leap year: day 60 never was, and those before count from one
  // later.
  if (!from_1904 && day == 60) return false;
  const long before = from_1904 ? 24107 : day < 60 ? 25568 : 25569;  // 1970-01-01
  const bool only_time = day == 0 && (time != 0 || !from_1904);
  if (!only_time) {
    const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day - before}}};
    fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  }
  if (time == 0 && !only_time) return true;
  if (!only_time) out += ' ';
  fmt::format_to(std::back_inserter(out), "{:02}:{:02}:{:02}", time / 3600000, time / 60000 % 60,
                 time / 1000 % 60);
  if (time % 1000 != 0) fmt::format_to(std::back_inserter(out), ".{:03}", time % 1000);
  return true;
}

std::optional<double> number_of_date(std::string_view text) {
  int year = 1900, month = 1, day = 0, hour = 0, minute = 0, read = 0;
  double second = 0;
  const std::string all(text);
  const bool has_day = std::sscanf(all.c_str(), "%4d-%2d-%2d%n", &year, &month, &day, &read) == 3;
  const char* rest = all.c_str() + (has_day ? read : 0);
  if (*rest != 0 && std::sscanf(rest, "%2d:%2d:%lf", &hour, &minute, &second) != 3)
    return std::nullopt;
  double days = 0;
  if (has_day) {
    const std::chrono::year_month_day date{std::chrono::year{year},
                                           std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    const auto since_1970 = std::chrono::sys_days{date}.time_since_epoch().count();
    days = static_cast<double>(since_1970) + 25569;
    if (days < 61) --days;  // append_date() says why
  }
  const double number = days + (hour * 3600 + minute * 60 + second) / 86400;
  std::string shown;
  return append_date(shown, number, false) && shown == text ? std::optional(number) : std::nullopt;
}

}  // namespace sieve
