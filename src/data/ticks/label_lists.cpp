#include "data/ticks/label_lists.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "data/parts_of_list.h"

namespace sieve {
namespace {

constexpr std::array<std::string_view, 3> kSeparators = {"|", ";", "\n"};

// Some cell has several parts, and some part of one occurs in another cell.
bool separates(std::string_view separator, const std::set<std::string_view>& cells) {
  std::map<std::string_view, std::size_t> cells_with;
  bool several = false;
  for (const std::string_view cell : cells) {
    std::set<std::string_view> parts;
    for_parts(cell, separator, [&](std::string_view part) { parts.insert(part); });
    for (const std::string_view part : parts) ++cells_with[part];
  }
  for (const std::string_view cell : cells) {
    if (cell.find(separator) == cell.npos) continue;
    for_parts(cell, separator,
              [&](std::string_view part) { several |= !part.empty() && cells_with[part] > 1; });
  }
  return several;
}

// 'a', "b": what stands in single or double quotes, with \' inside.
void cut_python_list(std::string_view list, const std::function<void(std::string_view)>& visit) {
  while (true) {
    const std::size_t quote = list.find_first_of("'\"");
    if (quote == list.npos) return;
    std::string item;
    std::size_t i = quote + 1;
    for (; i < list.size() && list[i] != list[quote]; ++i) {
      if (list[i] == '\\' && i + 1 < list.size()) ++i;
      item += list[i];
    }
    visit(item);
    list.remove_prefix(std::min(i + 1, list.size()));
  }
}

void cut_brackets(std::string_view cell, const std::function<void(std::string_view)>& visit) {
  while (!cell.empty()) {
    const std::size_t close = std::min(cell.find(']'), cell.size());
    visit(trimmed(cell.substr(1, close - 1)));
    cell.remove_prefix(std::min(close + 1, cell.size()));
    cell = trimmed(cell);
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

enum class Shape { Plain, Json, PythonList, Brackets };

Shape shape_of(std::string_view cell) {
  if (cell.size() < 2) return Shape::Plain;
  const std::string_view behind = trimmed(cell.substr(1));
  const auto follows = [&](std::string_view any) {
    return !behind.empty() && any.find(behind.front()) != any.npos;
  };
  const bool list = cell.front() == '[' && cell.ends_with(']');
  if (cell.front() == '{' && cell.ends_with('}') && follows("\"")) return Shape::Json;
  if (list && follows("\"[]{-0123456789") && cell.find("] [") == cell.npos) return Shape::Json;
  if (list && follows("'")) return Shape::PythonList;
  return is_bracketed(cell) ? Shape::Brackets : Shape::Plain;
}

}  // namespace

bool is_list_literal(std::string_view cell) {
  cell = trimmed(cell);
  if (!cell.starts_with('[')) return false;
  const Shape shape = shape_of(cell);
  return shape == Shape::Json || shape == Shape::PythonList;
}

// A text among cells that are lists is one label, whatever is in it.
LabelCutter::LabelCutter(std::string separator, const std::vector<std::string>& sample)
    : separator_(std::move(separator)) {
  if (!separator_.empty()) return;
  std::set<std::string_view> cells;
  for (const std::string_view cell : sample) {
    if (shape_of(trimmed(cell)) != Shape::Plain && cell != "[]") return;
    cells.insert(cell);
  }
  for (const std::string_view one : kSeparators)
    if (separates(one, cells)) {
      separator_ = one;
      return;
    }
}

void for_choices(const JsonValue& list, const std::function<void(std::string_view)>& visit) {
  list.for_each([&](const JsonValue& choice) {
    if (!choice.is_array()) return visit(choice.plain());
    std::string path;
    choice.for_each(
        [&](const JsonValue& part) { path += (path.empty() ? "" : "/") + part.plain(); });
    visit(path);
  });
}

void LabelCutter::cut(std::string_view cell, const Place& place,
                      const std::function<void(std::string_view)>& visit) {
  cell = trimmed(cell);
  switch (shape_of(cell)) {
    case Shape::Json: {
      const JsonValue value = parser_.parse(cell, place);
      const auto choices = cell.front() == '{' ? value.find("choices") : value;
      if (choices) for_choices(*choices, visit);
      break;
    }
    case Shape::PythonList:
      return cut_python_list(cell.substr(1), visit);
    case Shape::Brackets:
      return cut_brackets(cell, visit);
    case Shape::Plain:
      if (!cell.empty()) for_parts(cell, separator_, visit);
  }
}

}  // namespace sieve
