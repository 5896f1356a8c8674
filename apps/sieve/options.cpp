#include "options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/nearest.h"

namespace sieve {
namespace {

template <class Number>
bool parse_whole(const std::string& text, Number& number) {
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last && !text.empty();
}

std::string range_of(const Option& option) {
  if (std::isfinite(option.low) && std::isfinite(option.high))
    return fmt::format("{} to {}", option.low, option.high);
  if (std::isfinite(option.low)) return fmt::format("at least {}", option.low);
  return {};
}

void check_number(const Option& option, const Setting& setting) {
  std::int64_t whole = 0;
  const bool is_whole = option.kind == Kind::Integer;
  const std::optional<double> number = parse_number(setting.value);
  if (!number || (is_whole && !parse_whole(setting.value, whole)))
    throw usage_error(option, setting.source,
                      fmt::format("'{}' is not a {}", setting.value,
                                  is_whole ? "whole number" : "finite decimal number"));
  if (*number < option.low || *number > option.high)
    throw usage_error(option, setting.source,
                      fmt::format("{} is out of range: {}", setting.value, range_of(option)));
}

std::string hint_of_nearest(const std::string& value, const std::vector<std::string>& choices) {
  const std::string hint = did_you_mean(value, choices, "");
  return hint.empty() ? "" : "; " + hint;
}

void check_setting(const Option& option, Setting& setting) {
  const std::string& value = setting.value;
  switch (option.kind) {
    case Kind::Flag: {
      static const std::vector<std::string> kYes = {"true", "yes", "on", "1"};
      static const std::vector<std::string> kNo = {"false", "no", "off", "0"};
      if (std::ranges::find(kYes, value) != kYes.end())
        setting.value = "true";
      else if (std::ranges::find(kNo, value) != kNo.end())
        setting.value = "false";
      else
        throw usage_error(option, setting.source, "'" + value + "' is neither true nor false");
      break;
    }
    case Kind::Integer:
    case Kind::Real:
      check_number(option, setting);
      break;
    case Kind::Choice:
      if (std::ranges::find(option.choices, value) == option.choices.end())
        throw usage_error(option, setting.source,
                          "'" + value + "' is none of " + joined(option.choices, ", ") +
                              hint_of_nearest(value, option.choices));
      break;
    case Kind::Text:
    case Kind::Path:
    case Kind::Pairs:
      if (value.empty()) throw usage_error(option, setting.source, "needs a value");
      break;
  }
}

}  // namespace

Option flag(std::string name, std::string help) {
  return {.name = std::move(name), .kind = Kind::Flag, .help = std::move(help)};
}

Option text(std::string name, std::string meta, std::string help, std::string default_value) {
  return {.name = std::move(name),
          .kind = Kind::Text,
          .meta = std::move(meta),
          .help = std::move(help),
          .default_value = std::move(default_value)};
}

Option path(std::string name, std::string help) {
  return {.name = std::move(name), .kind = Kind::Path, .meta = "FILE", .help = std::move(help)};
}

Option choice(std::string name, std::vector<std::string> choices, std::string help,
              std::string default_value) {
  return {.name = std::move(name),
          .kind = Kind::Choice,
          .meta = joined(choices, "|"),
          .help = std::move(help),
          .default_value = std::move(default_value),
          .choices = std::move(choices)};
}

Option integer(std::string name, std::string help, double low, double high,
               std::string default_value) {
  return {.name = std::move(name),
          .kind = Kind::Integer,
          .meta = "N",
          .help = std::move(help),
          .default_value = std::move(default_value),
          .low = low,
          .high = high};
}

Option real(std::string name, std::string help, double low, double high,
            std::string default_value) {
  Option option = integer(std::move(name), std::move(help), low, high, std::move(default_value));
  option.kind = Kind::Real;
  option.meta = "X";
  return option;
}

Option pairs(std::string name, std::string help) {
  return {
      .name = std::move(name), .kind = Kind::Pairs, .meta = "KEY=VALUE", .help = std::move(help)};
}

Option seed_option() {
  return integer("seed", "seed of all that is random", 0, INFINITY, "1");
}

Arguments::Arguments(std::vector<Option> options, Settings set, std::vector<std::string> words)
    : options_(std::move(options)), set_(std::move(set)), words_(std::move(words)) {
  for (const Option& option : options_)
    if (const auto found = set_.find(option.name); found != set_.end())
      check_setting(option, found->second);
}

const Option& Arguments::option(const std::string& name) const {
  const auto found = std::ranges::find(options_, name, &Option::name);
  if (found == options_.end()) throw std::logic_error("no such option: " + name);
  return *found;
}

const std::string& Arguments::value(const std::string& name) const {
  const auto found = set_.find(name);
  return found != set_.end() ? found->second.value : option(name).default_value;
}

bool Arguments::given(const std::string& name) const {
  return value(name) != option(name).default_value;
}

std::vector<std::string> Arguments::list(const std::string& name) const {
  return split_list(value(name), ',');
}

std::int64_t Arguments::integer(const std::string& name) const {
  std::int64_t number = 0;
  parse_whole(value(name), number);
  return number;
}

std::size_t Arguments::count(const std::string& name) const {
  return static_cast<std::size_t>(integer(name));
}

double Arguments::real(const std::string& name) const {
  return parse_number(value(name)).value_or(0);
}

std::vector<std::pair<std::string, std::string>> Arguments::pairs(const std::string& name) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& item : list(name)) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos)
      throw usage_error(option(name), "--" + name, "'" + item + "' is not key=value");
    found.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  return found;
}

char Arguments::character(const std::string& name) const {
  const std::string& word = value(name);
  if (word.empty()) return 0;
  if (word == "tab" || word == "\\t") return '\t';
  if (word.size() == 1) return word[0];
  throw usage_error(option(name), "--" + name,
                    "'" + word + "' is not one character, nor the word tab");
}

Error usage_error(const Option& option, const std::string& source, const std::string& problem) {
  return {Failure::Usage, source + ": " + problem, {}, option_line(option, 0).substr(2)};
}

Error usage_error(const std::string& problem, const std::string& hint) {
  return {Failure::Usage, problem, {}, hint};
}

std::string option_line(const Option& option, std::size_t column) {
  std::string line = "  --" + option.name;
  if (!option.meta.empty()) line += " " + option.meta;
  line += std::string(line.size() + 2 > column ? 2 : column - line.size(), ' ') + option.help;
  const std::string range = range_of(option);
  const std::string standard =
      option.default_value.empty() ? "" : "default " + option.default_value;
  if (range.empty() && standard.empty()) return line;
  return line + " (" + range + (range.empty() || standard.empty() ? "" : ", ") + standard + ")";
}

std::optional<double> parse_number(const std::string& text) {
  double number = 0;
  if (!parse_whole(text, number) || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::vector<std::string> split_list(const std::string& text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  std::size_t from = 0;
  for (std::size_t to = 0; (to = text.find(separator, from)) != std::string::npos; from = to + 1)
    parts.push_back(text.substr(from, to - from));
  parts.push_back(text.substr(from));
  return parts;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  return fmt::format("{}", fmt::join(words, between));
}

}  // namespace sieve
