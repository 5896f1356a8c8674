#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/setting_table.h"
#include "base/toml.h"

namespace sieve {

// A table of a plan that may hold the `known` keys and nothing else. All errors are Error(Usage)
// with the place in the file.
class PlanKeys {
 public:
  // `earlier` are earlier names of known keys, which are still read.
  PlanKeys(const Toml& table, std::string title, const std::vector<std::string>& known,
           const std::vector<std::string>& earlier = {});

  bool has(const std::string& key) const { return table_.find(key) != nullptr; }
  Place where(const std::string& key) const;  // of the table itself if the key is not there
  std::string text(const std::string& key, const std::string& otherwise) const;
  std::int64_t integer(const std::string& key, std::int64_t low, std::int64_t high,
                       std::int64_t otherwise) const;
  double real(const std::string& key, double low, double high, double otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  std::vector<std::string> texts(const std::string& key) const;  // a list of texts; none if absent
  std::vector<std::string> numbers(const std::string& key) const;  // as they were typed
  std::vector<const Toml*> tables(const std::string& key) const;   // [[key]], at least one
  std::vector<std::pair<std::string, std::string>> settings(const std::string& key) const;

  // The value of this option, under its key or an earlier one, and which of them it is.
  // Error(Usage) if both are there.
  struct Given {
    std::string key;
    GivenValue value;
  };
  std::optional<Given> given(const OptionSpec& option,
                             const std::vector<std::string>& earlier) const;

  // A name that can be part of a task's key; must be there.
  std::string name() const;

  Error error(const std::string& key, const std::string& problem,
              const std::string& hint = {}) const;

 private:
  GivenValue value_of(const std::string& key, const OptionSpec& option) const;
  const Toml& table_;
  std::string title_;
};

}  // namespace sieve
