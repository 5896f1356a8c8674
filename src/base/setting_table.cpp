#include "base/setting_table.h"

#include <fmt/format.h>

#include "labelsieve/error.h"

namespace sieve {

std::string GivenValue::text() const {
  return fmt::format("{}", fmt::join(texts, ","));
}

GivenValue typed_value(const OptionSpec& option, const std::string& text) {
  if (option.type != OptionSpec::Type::List) return {{text}};
  GivenValue value;
  std::size_t from = 0;
  for (std::size_t to = 0; (to = text.find(',', from)) != text.npos; from = to + 1)
    value.texts.push_back(text.substr(from, to - from));
  value.texts.push_back(text.substr(from));
  return value;
}

std::string put_value(const GivenValue& value, std::string& to) {
  to = value.text();
  return {};
}

std::string put_value(const GivenValue& value, char& to) {
  const std::string word = value.text();
  const std::string one = word == "tab" || word == "\\t" ? "\t" : word;
  if (one.size() > 1) return "'" + word + "' is not one character, nor the word tab";
  to = one.empty() ? '\0' : one[0];
  return {};
}

std::string put_value(const GivenValue& value, bool& to) {
  to = value.text() == "true";
  return {};
}

std::string put_value(const GivenValue& value, double& to) {
  const auto number = parse_number<double>(value.text());
  if (!number) return "'" + value.text() + "' is not a finite decimal number";
  to = *number;
  return {};
}

std::string put_value(const GivenValue& value, std::vector<std::string>& to) {
  to = value.texts;
  return {};
}

std::string with_dashes(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

std::string with_underscores(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string named_help(const std::string& help, const NameOfKey& name) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t open = 0; (open = help.find('{', from)) != help.npos;) {
    const std::size_t close = help.find('}', open);
    if (close == help.npos) break;
    out += help.substr(from, open - from) + name(help.substr(open + 1, close - open - 1));
    from = close + 1;
  }
  return out + help.substr(from);
}

void check_together(const std::vector<GivenSetting>& given) {
  for (const GivenSetting& one : given) {
    std::vector<std::string> rivals;
    for (const GivenSetting& other : given)
      if (!one.instead_of.empty() && other.instead_of == one.instead_of)
        rivals.push_back(other.name);
    if (rivals.size() > 1)
      throw Error(Failure::Usage, fmt::format("give only one setting for {}, not {}",
                                              one.instead_of, fmt::join(rivals, " and ")));
    const bool lacks = !one.needs.empty() &&
                       std::ranges::find(given, one.needs, &GivenSetting::term) == given.end();
    if (lacks) throw Error(Failure::Usage, one.name + " needs " + one.name_of_needed);
  }
}

}  // namespace sieve
