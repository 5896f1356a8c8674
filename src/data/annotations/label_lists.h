#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace sieve {

using LabelVisit = std::function<void(std::string_view)>;

// What to give as a separator where every text is one label.
inline constexpr std::string_view kNoSeparator = "none";

// What different texts are by their content: a label each, lists of labels, or either.
struct Separation {
  enum class Texts { Labels, Lists, Doubtful } texts = Texts::Labels;
  std::string_view separator{};         // of the lists
  std::vector<std::string> examples{};  // texts that may be lists, if that is in doubt
};
// A bar, a semicolon or a line end separates labels if a part of some list is known: a text of its
// own, or a part of another list too. A comma, a slash, a plus or a tab separates them if nearly
// all parts are known; if only some are, that is in doubt.
Separation separation_of(const std::vector<std::string_view>& texts);
// Those that any of these marks would cut.
std::vector<std::string> texts_with_separator(const std::vector<std::string_view>& texts);

// Cuts the labels of one annotation out of a cell. Whatever the separator, these are understood:
//   ["a", 3]                 JSON: texts and whole numbers
//   {"choices": ["a", "b"]}  as Label Studio has it; lists inside are paths of nested choices: a/b
//   ['a', 'b']               as Python prints a list
//   [a] [b]                  as CrowdFlower has it
// Error(Data) for lists and objects with anything else: spans, objects, null, true, 0.5.
class LabelCutter {
 public:
  // The separator or "tab", kNoSeparator, or "" to find it in the sample by separation_of().
  // Without one, or if a cell of the sample is any of the lists above, a plain text is one label.
  LabelCutter(const std::string& separator, const std::vector<std::string>& sample);

  const std::string& separator() const { return separator_; }
  // Whether a cell is any of the lists above.
  static bool is_list(std::string_view cell);
  // Lists within any list are paths of nested choices, too.
  void allow_paths() { paths_ = true; }
  void cut(std::string_view cell, const Place& place, const LabelVisit& visit);

 private:
  void cut_json(std::string_view cell, const Place& place, const LabelVisit& visit);

  bool paths_ = false;
  std::string separator_;
  JsonParser parser_;
};

// The labels in a JSON array, or the one label; an array inside is a path of nested choices: "a/b".
// Error(Data) at `place` for anything else.
void for_choices(const JsonValue& choices, const Place& place, const LabelVisit& visit);

// Whether a cell is a list as JSON or Python prints it: ["a", "b"], ['a'], [1, 2] or [].
bool is_list_literal(std::string_view cell);

// Whether a cell is a list in brackets, "[a] [b]" or "[a]".
bool is_bracketed(std::string_view cell);

}  // namespace sieve
