#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "base/option_specs.h"
#include "base/parse_number.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

using Type = OptionSpec::Type;

constexpr std::array<std::string_view, 4> kYes = {"true", "yes", "on", "1"};
constexpr std::array<std::string_view, 4> kNo = {"false", "no", "off", "0"};

bool is_number(const OptionSpec& spec) {
  return spec.type == Type::Integer || spec.type == Type::Real;
}

// What a value may be.
std::string expected(const OptionSpec& spec) {
  if (spec.type == Type::Flag) return spec.can_be_auto ? "true, false or auto" : "true or false";
  if (spec.type == Type::Choice) return fmt::format("one of {}", fmt::join(spec.choices, ", "));
  if (!is_number(spec)) return "any text";
  const std::string range = range_of(spec);
  return fmt::format("{}{}{}{}", spec.type == Type::Integer ? "a whole number" : "a number",
                     range.empty()                ? ""
                     : range.starts_with("above") ? " "
                     : std::isfinite(spec.high)   ? " from "
                                                  : ", ",
                     range, spec.can_be_auto ? ", or auto" : "");
}

// Options of earlier versions that now follow from another one, and the value that is still read.
struct Absorbed {
  const char *key, *by, *value;
};
constexpr Absorbed kAbsorbed[] = {{"prior", "objective", "auto"},
                                  {"generator-loss", "objective", "auto"},
                                  {"generation-reduction", "objective", "auto"},
                                  {"classification-reduction", "objective", "sum"}};

std::string problem_with_number(const OptionSpec& spec, const std::string& value) {
  const bool whole = spec.type == Type::Integer;
  const std::optional<double> number = parse_number<double>(value);
  if (!number || (whole && !parse_number<std::int64_t>(value)))
    return fmt::format("'{}' is not a {}", value, whole ? "whole number" : "finite decimal number");
  if (*number < spec.low || *number > spec.high)
    return fmt::format("{} is out of range: {}", value, range_of(spec));
  return {};
}

std::string problem_with_choice(const OptionSpec& spec, const std::string& value) {
  if (std::ranges::find(spec.choices, value) != spec.choices.end()) return {};
  const std::string meant = did_you_mean(value, spec.choices, "");
  return fmt::format("'{}' is not one of {}{}", value, fmt::join(spec.choices, ", "),
                     meant.empty() ? "" : "; " + meant);
}

}  // namespace

std::string to_string(OptionSpec::Type type) {
  static constexpr std::array kNames = {"integer", "number", "choice", "flag",
                                        "text",    "path",   "pairs",  "list"};
  return kNames.at(static_cast<std::size_t>(type));
}

std::string range_of(const OptionSpec& spec) {
  if (!is_number(spec) || !std::isfinite(spec.low)) return {};
  // As near to 0 and 1 as that, bounds say that these are not allowed.
  constexpr double kNear = 1e-6;
  const bool above_zero = spec.low > 0 && spec.low <= kNear;
  if (above_zero && spec.high == 1 - kNear) return "above 0, below 1";
  const std::string low = above_zero ? "above 0" : fmt::format("{}", spec.low);
  if (!std::isfinite(spec.high)) return above_zero ? low : "at least " + low;
  return fmt::format("{}{}{}", low, above_zero ? ", at most " : " to ", spec.high);
}

CheckedValue checked(const OptionSpec& spec, const std::string& value) {
  if (spec.can_be_auto && value == "auto") return {value};
  if (spec.type == Type::Flag) {
    if (std::ranges::find(kYes, value) != kYes.end()) return {"true"};
    if (std::ranges::find(kNo, value) != kNo.end()) return {"false"};
    return {value, "'" + value + "' is neither true nor false"};
  }
  if (is_number(spec)) return {value, problem_with_number(spec, value)};
  if (spec.type == Type::Choice) return {value, problem_with_choice(spec, value)};
  return {value, value.empty() ? "needs a value" : ""};
}

Options::Options(std::vector<OptionSpec> table) : table_(std::move(table)) {
  for (const OptionSpec& spec : table_) values_[spec.key] = spec.default_value;
}

const OptionSpec& Options::spec(const std::string& key) const {
  const auto found = std::ranges::find_if(table_, [&](const OptionSpec& spec) {
    return spec.key == key || std::ranges::find(spec.aliases, key) != spec.aliases.end();
  });
  if (found != table_.end()) return *found;
  throw no_such("option", key, names_of(table_, &OptionSpec::key));
}

void Options::set(const std::string& key, const std::string& value) {
  const auto absorbed = std::ranges::find(kAbsorbed, key, &Absorbed::key);
  if (absorbed != std::end(kAbsorbed) && values_.contains(absorbed->by)) {
    if (value == absorbed->value) return;
    throw Error(Failure::Usage, "option '" + key + "' can no longer be set", {},
                std::string("it follows from ") + absorbed->by);
  }
  const OptionSpec& wanted = spec(key);
  if (value == wanted.default_value) {  // which may be nothing: as if it had never been set
    values_[key] = value;
    return;
  }
  CheckedValue fit = checked(wanted, value);
  if (!fit.problem.empty())
    throw Error(Failure::Usage, "option '" + key + "' cannot be '" + value + "'", {},
                "it takes " + expected(wanted));
  values_[wanted.key] = std::move(fit.value);
}

const std::string& Options::text(const std::string& key) const {
  return values_.at(spec(key).key);
}

double Options::real(const std::string& key) const {
  return parse_number<double>(text(key)).value_or(0);
}

std::int64_t Options::integer(const std::string& key) const {
  return parse_number<std::int64_t>(text(key)).value_or(0);
}

std::size_t Options::count(const std::string& key) const {
  return static_cast<std::size_t>(integer(key));
}

OptionSpec real_option(std::string key, std::string value, std::string help, double low,
                       double high) {
  const bool can_be_auto = value == "auto";
  return {std::move(key), Type::Real, std::move(value), std::move(help), low,
          high,           {},         can_be_auto};
}

OptionSpec integer_option(std::string key, std::string value, std::string help, double low,
                          double high) {
  OptionSpec option = real_option(std::move(key), std::move(value), std::move(help), low, high);
  option.type = Type::Integer;
  return option;
}

OptionSpec choice_option(std::string key, std::vector<std::string> choices, std::string help,
                         std::string value) {
  if (value.empty()) value = choices.front();
  return {.key = std::move(key),
          .type = Type::Choice,
          .default_value = std::move(value),
          .help = std::move(help),
          .choices = std::move(choices)};
}

std::string typed(std::size_t number) {
  return std::to_string(number);
}

std::string typed(double number) {
  return fmt::format("{}", number);
}

void drop_absorbed(std::map<std::string, std::string>& settings) {
  for (const Absorbed& one : kAbsorbed) {
    const auto found = settings.find(one.key);
    if (found != settings.end() && settings.contains(one.by) && found->second == one.value)
      settings.erase(found);
  }
}

OptionSpec flag_option(std::string key, bool value, std::string help) {
  return {std::move(key), Type::Flag, value ? "true" : "false", std::move(help)};
}

}  // namespace sieve
