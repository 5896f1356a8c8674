#include "labelsieve/options.h"

#include <algorithm>
#include <charconv>

#include "base/nearest.h"
#include "labelsieve/error.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

template <class Number>
bool parses(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end;
}

std::string short_number(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string expected(const OptionSpec& spec) {
  using Type = OptionSpec::Type;
  if (spec.type == Type::Flag) return "true or false";
  if (spec.type == Type::Choice) {
    std::string all;
    for (const std::string& choice : spec.choices) all += (all.empty() ? "" : ", ") + choice;
    return "one of " + all;
  }
  return std::string(spec.type == Type::Integer ? "a whole number" : "a number") + " from " +
         short_number(spec.low) + " to " + short_number(spec.high) +
         (spec.can_be_auto ? ", or auto" : "");
}

bool allows(const OptionSpec& spec, const std::string& value) {
  using Type = OptionSpec::Type;
  if (spec.can_be_auto && value == "auto") return true;
  switch (spec.type) {
    case Type::Flag:
      return value == "true" || value == "false";
    case Type::Choice:
      return std::ranges::find(spec.choices, value) != spec.choices.end();
    case Type::Integer: {
      std::int64_t number = 0;
      return parses(value, number) && static_cast<double>(number) >= spec.low &&
             static_cast<double>(number) <= spec.high;
    }
    case Type::Real: {
      double number = 0;
      return parses(value, number) && number >= spec.low && number <= spec.high;
    }
  }
  return false;
}

}  // namespace

Options::Options(const std::vector<OptionSpec>& table) : table_(&table) {
  for (const OptionSpec& spec : table) values_[spec.key] = spec.default_value;
}

const OptionSpec& Options::spec(const std::string& key) const {
  const auto found = std::ranges::find(*table_, key, &OptionSpec::key);
  if (found != table_->end()) return *found;
  std::vector<std::string> keys;
  for (const OptionSpec& known : *table_) keys.push_back(known.key);
  throw Error(
      Failure::Usage, "there is no option '" + key + "'", {},
      did_you_mean(key, keys, "see the options of the method with: " + term("method_info")));
}

void Options::set(const std::string& key, const std::string& value) {
  const OptionSpec& wanted = spec(key);
  if (!allows(wanted, value))
    throw Error(Failure::Usage, "option '" + key + "' cannot be '" + value + "'", {},
                "it takes " + expected(wanted));
  values_[key] = value;
}

const std::string& Options::text(const std::string& key) const {
  return values_.at(spec(key).key);
}

bool Options::is_auto(const std::string& key) const {
  return text(key) == "auto";
}

double Options::real(const std::string& key) const {
  double number = 0;
  parses(text(key), number);
  return number;
}

std::int64_t Options::integer(const std::string& key) const {
  std::int64_t number = 0;
  parses(text(key), number);
  return number;
}

bool Options::flag(const std::string& key) const {
  return text(key) == "true";
}

}  // namespace sieve
