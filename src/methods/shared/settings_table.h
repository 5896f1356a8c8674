#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/option_specs.h"

// The options of a method, each bound to the field of its settings that it fills.
namespace sieve {

template <class Settings>
class SettingsTable {
 public:
  // The defaults of the options are those of `defaults`.
  explicit SettingsTable(Settings defaults = {}) : defaults_(std::move(defaults)) {}

  // A std::size_t or a double.
  template <class Number, class Owner>
  void number(const char* key, Number Owner::*field, const char* help, double low, double high) {
    add(
        number_option<Number>(key, help, low, high),
        [=](const Options& options, Settings& to) { to.*field = value<Number>(options, key); },
        [=](const Settings& from) { return typed(from.*field); });
  }
  // The same, or nothing for "auto".
  template <class Number, class Owner>
  void number(const char* key, std::optional<Number> Owner::*field, const char* help, double low,
              double high) {
    add(
        number_option<Number>(key, help, low, high),
        [=](const Options& options, Settings& to) {
          to.*field = options.is_auto(key) ? std::nullopt
                                           : std::optional<Number>(value<Number>(options, key));
        },
        [=](const Settings& from) { return from.*field ? typed(*(from.*field)) : "auto"; });
    rows_.back().spec.can_be_auto = true;
  }
  void flag(const char* key, bool Settings::*field, const char* help) {
    add(
        flag_option(key, false, help),
        [=](const Options& options, Settings& to) { to.*field = options.flag(key); },
        [=](const Settings& from) -> std::string { return from.*field ? "true" : "false"; });
  }
  // The names of an enumeration, in its order.
  template <class Enum, class Owner>
  void choice(const char* key, Enum Owner::*field, const std::vector<std::string>& names,
              const char* help) {
    add(
        choice_option(key, names, help),
        [=](const Options& options, Settings& to) {
          const auto found = std::ranges::find(names, options.text(key));
          to.*field = static_cast<Enum>(found - names.begin());
        },
        [=](const Settings& from) { return names.at(static_cast<std::size_t>(from.*field)); });
  }
  std::vector<OptionSpec> specs() const {
    std::vector<OptionSpec> all;
    for (const Row& row : rows_) all.push_back(row.spec);
    return all;
  }
  Settings read(const Options& options) const {
    Settings settings = defaults_;
    for (const Row& row : rows_) row.read(options, settings);
    return settings;
  }
  // As they would be typed. Error(Usage) for a value out of range.
  Options options(const Settings& settings) const {
    Options all(specs());
    for (const Row& row : rows_) all.set(row.spec.key, row.text(settings));
    return all;
  }

 private:
  template <class Number>
  static OptionSpec number_option(const char* key, const char* help, double low, double high) {
    return std::is_integral_v<Number> ? integer_option(key, "", help, low, high)
                                      : real_option(key, "", help, low, high);
  }
  template <class Number>
  static Number value(const Options& options, const char* key) {
    if constexpr (std::is_integral_v<Number>)
      return options.count(key);
    else
      return options.real(key);
  }

  using Read = std::function<void(const Options&, Settings&)>;
  using Text = std::function<std::string(const Settings&)>;
  struct Row {
    OptionSpec spec;
    Read read;
    Text text;
  };

  void add(OptionSpec spec, Read read, Text text) {
    spec.default_value = text(defaults_);
    rows_.push_back({std::move(spec), std::move(read), std::move(text)});
  }

  Settings defaults_;
  std::vector<Row> rows_;
};

}  // namespace sieve
