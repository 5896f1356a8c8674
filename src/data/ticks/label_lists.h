#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"

namespace sieve {

// Cuts the labels of one judgement out of a cell. Whatever the separator, these are understood:
//   ["a", "b"] and {"choices": ["a", "b"]}   JSON; arrays inside are paths of nested choices: a/b
//   ['a', 'b']                               as Python prints a list
//   [a] [b]                                  as CrowdFlower has it
class LabelCutter {
 public:
  // The separator, or "" to find it: a bar, a semicolon or a line end that cuts the cells into
  // labels which occur in others of them too. Without one, or if a cell of the sample is any of the
  // lists above, a plain text is one label.
  LabelCutter(std::string separator, const std::vector<std::string>& sample);

  const std::string& separator() const { return separator_; }
  void cut(std::string_view cell, const Place& place,
           const std::function<void(std::string_view)>& visit);

 private:
  std::string separator_;
  JsonParser parser_;
};

// The labels in a JSON array; an array inside is a path of nested choices: "a/b".
void for_choices(const JsonValue& list, const std::function<void(std::string_view)>& visit);

// Whether a cell is a list as JSON or Python prints it: ["a", "b"], ['a'], [1, 2] or [].
bool is_list_literal(std::string_view cell);

// Whether a cell is a list in brackets, "[a] [b]" or "[a]".
bool is_bracketed(std::string_view cell);

}  // namespace sieve
