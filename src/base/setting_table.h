#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/parse_number.h"
#include "labelsieve/options.h"

// Settings of a struct, one row each. Whatever names a setting walks such a table: flags, help,
// keys of configurations and plans, hints, the C interface and Python's arguments.
namespace sieve {

// A value as somebody gave it: one text, or a list of them.
struct GivenValue {
  std::vector<std::string> texts;
  bool is_list = false;
  std::string text() const;  // of a list: with commas between
};

// One text as somebody typed it for this option: a list is cut at commas.
GivenValue typed_value(const OptionSpec& option, const std::string& text);

// Puts the value into a field; gives what is wrong with it, or "".
std::string put_value(const GivenValue& value, std::string& to);
std::string put_value(const GivenValue& value, char& to);  // one character, or the word "tab"
std::string put_value(const GivenValue& value, bool& to);
std::string put_value(const GivenValue& value, double& to);
std::string put_value(const GivenValue& value, std::vector<std::string>& to);
template <std::integral Number>
std::string put_value(const GivenValue& value, Number& to) {
  const auto number = parse_number<Number>(value.text());
  if (!number) return "'" + value.text() + "' is not a whole number";
  to = *number;
  return {};
}
template <class T>
std::string put_value(const GivenValue& value, std::optional<T>& to) {
  return put_value(value, to.emplace());
}

template <class All>
struct SettingRow {
  std::string term;   // the field: its name in hints of the library and in C
  OptionSpec option;  // its key is the flag, the key of a plan and, with '_' for '-', Python's name
  std::function<std::string(All&, const GivenValue&)> put;  // as put_value()
  std::vector<std::string> aliases{};                       // earlier keys, which are still read
  std::string instead_of{};    // rows with the same word here exclude each other
  std::string needs{};         // the term of a row that must be set for this one to make sense
  bool names_columns = false;  // of the files that are read
};

template <class All>
using NameOfSetting = std::function<std::string(const SettingRow<All>&)>;

// Checks the value by the row's option, then puts it into `all`. Gives what is wrong, or "".
template <class All>
std::string put_checked(const SettingRow<All>& row, All& all, const GivenValue& value) {
  const bool any_text = row.option.type == OptionSpec::Type::Text ||
                        row.option.type == OptionSpec::Type::Path ||
                        row.option.type == OptionSpec::Type::List;
  if (any_text) return row.put(all, value);
  const CheckedValue fit = checked(row.option, value.text());
  if (!fit.problem.empty()) return fit.problem;
  if (fit.value == "auto") return {};
  return row.put(all, {{fit.value}});
}

// "label-prefix" for "label_prefix".
std::string with_dashes(std::string name);
// "label_prefix" for "label-prefix".
std::string with_underscores(std::string name);

// The row that a term, a key or an earlier key means; null if there is none. Keys may have
// underscores.
template <class All>
const SettingRow<All>* find_setting(const std::vector<SettingRow<All>>& table,
                                    const std::string& name) {
  const std::string key = with_dashes(name);
  const auto found = std::ranges::find_if(table, [&](const SettingRow<All>& row) {
    return row.term == name || row.option.key == key ||
           std::ranges::find(row.aliases, key) != row.aliases.end();
  });
  return found == table.end() ? nullptr : &*found;
}

// The help of an option may name others as "{label-column}"; here with what they are called.
using NameOfKey = std::function<std::string(const std::string& key)>;
std::string named_help(const std::string& help, const NameOfKey& name);

// Error(Usage) where two of the given settings exclude each other, or one needs another.
struct GivenSetting {
  std::string term, name, instead_of, needs, name_of_needed;
};
void check_together(const std::vector<GivenSetting>& given);

// The same for rows of a table, with what the user calls them.
template <class All>
void check_together(const std::vector<SettingRow<All>>& table,
                    const std::vector<const SettingRow<All>*>& given,
                    const NameOfSetting<All>& name) {
  std::vector<GivenSetting> all;
  for (const SettingRow<All>* row : given) {
    const SettingRow<All>* needed = row->needs.empty() ? nullptr : find_setting(table, row->needs);
    all.push_back(
        {row->term, name(*row), row->instead_of, row->needs, needed ? name(*needed) : ""});
  }
  check_together(all);
}

}  // namespace sieve
