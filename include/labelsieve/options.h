#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sieve {

// One setting of a method, of a noise protocol or of the command. Flags, TOML keys, help,
// documentation and checks all come from a table of these.
struct OptionSpec {
  // Pairs: "key=value", separated by commas. As a flag it may be repeated, a later layer of
  // settings adds to an earlier one and its values win. List: values separated by commas; as a flag
  // it may be repeated.
  enum class Type { Integer, Real, Choice, Flag, Text, Path, Pairs, List };
  std::string key{};
  Type type = Type::Real;
  std::string default_value{};  // as it would be typed; "" is not set, "auto" the method's choice
  std::string help{};           // one line
  double low = -std::numeric_limits<double>::infinity();  // Integer and Real: the closed range
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices{};  // Choice
  bool can_be_auto = false;            // Integer, Real and Flag: "auto" is a value too
  std::string meta{};                  // what stands for the value in the help; else by the type
  std::vector<std::string> aliases{};  // earlier keys, which are still read
};

// "integer", "number", "choice", "flag", "text", "path", "pairs" or "list".
std::string to_string(OptionSpec::Type type);
// "0 to 1", "at least 0", or "" where any number will do.
std::string range_of(const OptionSpec& spec);

// A value in its one spelling (a flag is "true" for yes, on and 1, "false" for no, off and 0), or
// what is wrong with it.
struct CheckedValue {
  std::string value{};
  std::string problem{};  // "'x' is not a whole number"; "" where nothing is wrong
};
CheckedValue checked(const OptionSpec& spec, const std::string& value);

// Checked values for a table of options. Unknown keys and values out of range are Error(Usage)
// naming the nearest key or the range.
class Options {
 public:
  explicit Options(std::vector<OptionSpec> table);

  void set(const std::string& key, const std::string& value);
  const OptionSpec& spec(const std::string& key) const;
  bool has(const std::string& key) const { return !text(key).empty(); }  // if only the default
  bool is_auto(const std::string& key) const { return text(key) == "auto"; }
  bool flag(const std::string& key) const { return text(key) == "true"; }
  double real(const std::string& key) const;  // this and those below: 0 where nothing is set
  std::int64_t integer(const std::string& key) const;
  std::size_t count(const std::string& key) const;
  const std::string& text(const std::string& key) const;
  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  std::vector<OptionSpec> table_;
  std::map<std::string, std::string> values_;
};

// A setting in a message. A hint names a field or function of this library; the command, or a
// binding for another language, replaces it by a flag or an argument.
struct Term {
  std::string_view name;   // a field or a function: "resume_from", "labels.count", "all_methods"
  std::string_view value;  // what to set the field to; may be empty
};

// The name of a term in messages: "labels.count=3", unless use_words() says otherwise.
std::string term(std::string_view name, std::string_view value = {});

// Sets the function that names terms, for all threads; null restores the library's own names. Call
// it before anything else.
using Words = std::string (*)(const Term&);
void use_words(Words words);

// How to repeat the call with these settings, for a hint that asks: "ticks.item=photo" (several are
// joined by "and"), unless use_rerun() says otherwise. The command gives a line to copy.
std::string rerun(std::initializer_list<Term> settings);

// "" where the settings cannot be put into what was called.
using Rerun = std::string (*)(std::span<const Term>);
void use_rerun(Rerun rerun);

}  // namespace sieve
