#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sieve {

// One setting of a method. The table of these makes the flags, the TOML keys, the help text, the
// documentation page and the checks.
struct OptionSpec {
  enum class Type { Integer, Real, Choice, Flag };
  std::string key;
  Type type = Type::Real;
  std::string default_value;         // "auto" where the method chooses from the candidates
  std::string help;                  // one line
  double low = 0, high = 0;          // Integer and Real: the closed range
  std::vector<std::string> choices;  // Choice
  bool can_be_auto = false;          // Integer and Real: "auto" is a value too
};

// Checked values for a table of options. Unknown keys and values out of range are Error(Usage)
// naming the nearest key or the range.
class Options {
 public:
  explicit Options(const std::vector<OptionSpec>& table);

  void set(const std::string& key, const std::string& value);
  bool is_auto(const std::string& key) const;
  double real(const std::string& key) const;
  std::int64_t integer(const std::string& key) const;
  bool flag(const std::string& key) const;
  const std::string& text(const std::string& key) const;
  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  const OptionSpec& spec(const std::string& key) const;
  const std::vector<OptionSpec>* table_;
  std::map<std::string, std::string> values_;
};

}  // namespace sieve
