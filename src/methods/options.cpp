#include "labelsieve/options.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "labelsieve/error.h"

namespace sieve {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

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

std::string nearest_name(const std::string& word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t best_distance = word.size() / 2 + 2;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) best = name, best_distance = distance;
  }
  return best;
}

Options::Options(const std::vector<OptionSpec>& table) : table_(&table) {
  for (const OptionSpec& spec : table) values_[spec.key] = spec.default_value;
}

const OptionSpec& Options::spec(const std::string& key) const {
  const auto found = std::ranges::find(*table_, key, &OptionSpec::key);
  if (found != table_->end()) return *found;
  std::vector<std::string> keys;
  for (const OptionSpec& known : *table_) keys.push_back(known.key);
  const std::string near = nearest_name(key, keys);
  throw Error(Failure::Usage, "there is no option '" + key + "'", {},
              near.empty() ? "see the options of the method with: sieve methods"
                           : "did you mean '" + near + "'?");
}

void Options::set(const std::string& key, const std::string& value) {
  const OptionSpec& wanted = spec(key);
  if (!allows(wanted, value))
    throw Error(Failure::Usage, "option '" + key + "' can not be '" + value + "'", {},
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
