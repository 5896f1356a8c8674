#include "data/annotations/label_lists.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/table.h"
#include "data/parts_of_list.h"

namespace sieve {
namespace {

// Marks that hardly ever stand inside a label, and marks that do.
constexpr std::array<std::string_view, 3> kPlainSeparators = {"|", ";", "\n"};
constexpr std::array<std::string_view, 5> kDoubtfulSeparators = {",", "/", "+", "\t", "#"};

// Nearly all parts are known: a rare label may stand beside others alone.
bool is_list_by_its_parts(const CutTexts& cut) {
  constexpr std::size_t kManyLists = 3;
  return cut.known_parts() == cut.parts() ||
         (cut.lists().size() >= kManyLists && 10 * cut.known_parts() >= 9 * cut.parts());
}

constexpr const char* kLabelHint =
    "labels are texts or whole numbers, as in [\"sea\", \"wood\"]; write them in a column or key "
    "of "
    "their own";

[[noreturn]] void refuse_label(const std::string& what, std::string_view shown,
                               const Place& place) {
  throw Error(Failure::Data, what + ": " + shortened(std::string(shown), 60), place, kLabelHint);
}

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::string problem_of(const JsonValue& value, const std::string& json) {
  if (value.is_array()) {
    std::size_t numbers = 0;
    value.for_each([&](const JsonValue& one) { numbers += is_whole_number(one.plain()); });
    return numbers >= 2 ? "a span among the labels" : "a list within the list of labels";
  }
  if (value.is_object()) return "an object among the labels";
  if (value.is_null()) return "a null among the labels";
  if (json == "true" || json == "false") return "true or false among the labels";
  return "a number that is not whole among the labels";
}

// Texts and whole numbers are labels. A number that comes twice is none: such a list has a value
// for each label.
class JsonLabels {
 public:
  JsonLabels(const Place& place, const LabelVisit& visit) : place_(place), visit_(visit) {}

  void take(const JsonValue& value) {
    const std::string label = value.plain();
    if (value.text()) return visit_(label);
    if (value.is_array() || value.is_object() || value.is_null() || !is_whole_number(label))
      refuse_label(problem_of(value, label), value.is_null() ? "null" : label, place_);
    if (!numbers_.insert(label).second)
      refuse_label("a list with the same number twice does not list labels", label, place_);
    visit_(label);
  }

 private:
  const Place& place_;
  const LabelVisit& visit_;
  std::set<std::string> numbers_;
};

// One element of a list that Python prints: a text in quotes, with \' inside, or a whole number.
// Returns the rest of the list.
std::string_view cut_python_element(std::string_view list, const Place& place,
                                    const LabelVisit& visit) {
  if (list.front() != '\'' && list.front() != '"') {
    const std::size_t end = std::min(list.find_first_of(", \t\n"), list.size());
    if (!is_whole_number(list.substr(0, end)))
      refuse_label("not a text or a whole number among the labels", list.substr(0, end), place);
    visit(list.substr(0, end));
    return list.substr(end);
  }
  std::string text;
  std::size_t i = 1;
  for (; i < list.size() && list[i] != list.front(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size()) ++i;
    text += list[i];
  }
  visit(text);
  return list.substr(std::min(i + 1, list.size()));
}

// Commas or, as NumPy prints it, blanks separate the elements.
void cut_python_list(std::string_view list, const Place& place, const LabelVisit& visit) {
  list = list.substr(1, list.size() - 2);
  while (true) {
    const std::size_t next = list.find_first_not_of(", \t\n");
    if (next == list.npos) return;
    list = cut_python_element(list.substr(next), place, visit);
  }
}

// Whether an element of a list begins as only Python prints it.
bool has_python_element(std::string_view list) {
  char before = '[';  // the last character outside of texts that is not blank
  for (std::size_t i = 1; i < list.size(); ++i) {
    const std::string_view rest = list.substr(i);
    const bool begins = before == '[' || before == ',';
    if (begins)
      for (const std::string_view start : {"'", "('", "(\"", "None,", "True,", "False,"})
        if (rest.starts_with(start)) return true;
    if (begins && rest.front() == '"')
      while (++i < list.size() && list[i] != '"') i += list[i] == '\\';
    if (rest.front() != ' ' && rest.front() != '\n') before = rest.front();
  }
  return false;
}

void cut_brackets(std::string_view cell, const LabelVisit& visit) {
  for (std::size_t open = 0; open != cell.npos; open = cell.find('[', open + 1)) {
    const std::size_t close = std::min(cell.find(']', open), cell.size());
    visit(trimmed(cell.substr(open + 1, close - open - 1)));
  }
}

}  // namespace

bool is_bracketed(std::string_view cell) {
  if (!cell.starts_with('[') || !cell.ends_with(']') || cell.size() < 3) return false;
  bool inside = false;
  for (const char c : cell) {
    if (inside ? c == '[' : c != '[' && c != ' ' && c != '\n') return false;
    if (c == '[' || c == ']') inside = c == '[';
  }
  return true;
}

namespace {

enum class Shape { Plain, Json, PythonList, PythonObject, Brackets };

Shape shape_of(std::string_view cell) {
  if (cell.size() < 2) return Shape::Plain;
  const std::string_view behind = trimmed(cell.substr(1));
  const auto follows = [&](std::string_view any) {
    return !behind.empty() && any.find(behind.front()) != any.npos;
  };
  const bool list = cell.front() == '[' && cell.ends_with(']');
  const bool object = cell.front() == '{' && cell.ends_with('}');
  if (object && follows("\"}")) return Shape::Json;
  if (object && follows("'")) return Shape::PythonObject;
  if (list && has_python_element(cell)) return Shape::PythonList;
  if (list && follows("\"[]{-0123456789") && cell.find("] [") == cell.npos) return Shape::Json;
  return is_bracketed(cell) ? Shape::Brackets : Shape::Plain;
}

}  // namespace

bool is_list_literal(std::string_view cell) {
  cell = trimmed(cell);
  if (!cell.starts_with('[')) return false;
  const Shape shape = shape_of(cell);
  return shape == Shape::Json || shape == Shape::PythonList;
}

Separation separation_of(const std::vector<std::string_view>& texts) {
  Separation found;
  for (const std::string_view one : kPlainSeparators)
    if (CutTexts(one, texts).known_parts() > 0) return {Separation::Texts::Lists, one, {}};
  for (const std::string_view one : kDoubtfulSeparators) {
    const CutTexts cut(one, texts);
    if (cut.lists().empty()) continue;
    if (cut.known_parts() > 0 && is_list_by_its_parts(cut))
      return {Separation::Texts::Lists, one, {}};
    if (cut.known_parts() == 0 || found.texts == Separation::Texts::Doubtful) continue;
    found.texts = Separation::Texts::Doubtful;
    found.separator = one;
    for (const std::string_view list : cut.lists())
      if (cut.has_known_part(list)) found.examples.emplace_back(list);
  }
  return found;
}

std::vector<std::string> texts_with_separator(const std::vector<std::string_view>& texts) {
  std::vector<std::string> found;
  for (const std::string_view text : texts) {
    const auto cuts = [&](std::string_view one) { return !CutTexts(one, {text}).lists().empty(); };
    if (std::ranges::any_of(kPlainSeparators, cuts) ||
        std::ranges::any_of(kDoubtfulSeparators, cuts))
      found.emplace_back(text);
  }
  return found;
}

// A text among cells that are lists is one label, whatever is in it.
LabelCutter::LabelCutter(const std::string& separator, const std::vector<std::string>& sample)
    : separator_(separator == kNoSeparator ? ""
                 : separator == "tab"      ? "\t"
                                           : separator) {
  if (!separator.empty()) return;
  std::set<std::string_view> cells;
  for (const std::string_view cell : sample) {
    if (shape_of(trimmed(cell)) != Shape::Plain && cell != "[]") return;
    cells.insert(cell);
  }
  const Separation found = separation_of({cells.begin(), cells.end()});
  if (found.texts == Separation::Texts::Lists) separator_ = found.separator;
}

bool LabelCutter::is_list(std::string_view cell) {
  return shape_of(trimmed(cell)) != Shape::Plain;
}

void for_choices(const JsonValue& choices, const Place& place, const LabelVisit& visit) {
  JsonLabels labels(place, visit);
  const auto take = [&](const JsonValue& choice) {
    if (!choice.is_array()) return labels.take(choice);
    std::string path;
    choice.for_each([&](const JsonValue& part) {
      if (!part.text()) refuse_label(problem_of(choice, ""), choice.plain(), place);
      path += (path.empty() ? "" : "/") + part.plain();
    });
    visit(path);
  };
  if (choices.is_array())
    choices.for_each(take);
  else
    take(choices);
}

void LabelCutter::cut_json(std::string_view cell, const Place& place, const LabelVisit& visit) {
  const JsonValue value = parser_.parse(cell, place);
  if (value.is_object()) {
    for (const char* key : {"choices", "taxonomy"})
      if (const auto choices = value.find(key)) return for_choices(*choices, place, visit);
    refuse_label("an object instead of labels", cell, place);
  }
  if (paths_) return for_choices(value, place, visit);
  JsonLabels labels(place, visit);
  value.for_each([&](const JsonValue& one) { labels.take(one); });
}

void LabelCutter::cut(std::string_view cell, const Place& place, const LabelVisit& visit) {
  cell = trimmed(cell);
  switch (shape_of(cell)) {
    case Shape::Json:
      return cut_json(cell, place, visit);
    case Shape::PythonList:
      return cut_python_list(cell, place, visit);
    case Shape::PythonObject:
      refuse_label("a set or dictionary of Python instead of labels", cell, place);
    case Shape::Brackets:
      return cut_brackets(cell, visit);
    case Shape::Plain:
      if (!cell.empty()) for_parts(cell, separator_, visit);
  }
}

}  // namespace sieve
