#include "data/ticks/moments.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/parse_number.h"
#include "data/parts_of_list.h"
#include "data/recipe/dates.h"

namespace sieve {
namespace {

std::vector<std::string> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for_parts(text, separator, [&](std::string_view part) { parts.emplace_back(part); });
  return parts;
}

// "+02:00", "-0800" and "+02" in days.
std::optional<double> offset_of(std::string_view text) {
  const double sign = text.front() == '-' ? -1 : 1;
  std::string digits;
  for (const char c : text.substr(1))
    if (c != ':') digits += c;
  if (digits.size() == 2) digits += "00";
  const auto number = parse_number<unsigned>(digits);
  if (digits.size() != 4 || !number) return std::nullopt;
  return sign * (*number / 100 / 24.0 + *number % 100 / 1440.0);
}

std::optional<double> with_offset(std::string_view text) {
  constexpr std::size_t kTime = 11;  // behind "2024-05-01T"
  const std::size_t sign = text.size() > kTime ? text.find_first_of("+-", kTime) : text.npos;
  if (sign == text.npos) return days_of_date(text);
  const auto days = days_of_date(trimmed(text.substr(0, sign)));
  const auto offset = offset_of(text.substr(sign));
  if (!days || !offset) return std::nullopt;
  return *days - *offset;
}

// "Tue Mar 05 12:34:56 PST 2019"
std::optional<double> with_named_month(std::string_view text) {
  static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::vector<std::string> parts = parts_of(text, " ");
  if (parts.size() != 6 || parts[1].size() != 3) return std::nullopt;
  const std::size_t month = kMonths.find(parts[1]);
  const auto day = parse_number<unsigned>(parts[2]);
  if (month == kMonths.npos || month % 3 != 0 || !day) return std::nullopt;
  struct Zone {
    std::string_view name;
    double hours;
  };
  static constexpr std::array<Zone, 4> kZones = {
      {{"PST", -8}, {"PDT", -7}, {"UTC", 0}, {"GMT", 0}}};
  const auto zone = std::ranges::find(kZones, parts[4], &Zone::name);
  if (zone == kZones.end()) return std::nullopt;
  const auto days =
      days_of_date(fmt::format("{}-{:02}-{:02} {}", parts[5], month / 3 + 1, *day, parts[3]));
  if (!days) return std::nullopt;
  return *days - zone->hours / 24;
}

// "3/18/2014 21:55:43", "3/18/2014 9:55" and "3/18/2014"
std::optional<double> with_month_first(std::string_view text) {
  const std::vector<std::string> parts = parts_of(text, " ");
  const std::vector<std::string> date = parts_of(parts[0], "/");
  if (parts.size() > 2 || date.size() != 3) return std::nullopt;
  const auto month = parse_number<unsigned>(date[0]), day = parse_number<unsigned>(date[1]);
  if (!month || !day) return std::nullopt;
  std::string iso = fmt::format("{}-{:02}-{:02}", date[2], *month, *day);
  if (parts.size() == 2) iso += (parts[1].find(':') == 1 ? " 0" : " ") + parts[1];
  return days_of_date(iso);
}

}  // namespace

std::optional<double> moment_of(std::string_view text, bool month_first) {
  text = trimmed(text);
  if (const auto number = parse_number<double>(text)) return number;
  if (const auto days = with_offset(text)) return days;
  if (const auto days = with_named_month(text)) return days;
  return month_first ? with_month_first(text) : std::nullopt;
}

}  // namespace sieve
