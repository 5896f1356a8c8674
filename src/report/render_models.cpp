#include <fmt/format.h>

#include <algorithm>

#include "base/format_text.h"
#include "base/table.h"
#include "labelsieve/learner.h"
#include "report/rendered.h"

namespace sieve {
namespace {

std::string values_of(const OptionSpec& option) {
  switch (option.type) {
    case OptionSpec::Type::Flag:
      return "true, false";
    case OptionSpec::Type::Choice:
      return fmt::format("{}", fmt::join(option.choices, ", "));
    default:
      return range_of(option) + (option.can_be_auto ? ", auto" : "");
  }
}

Json option_json(const OptionSpec& option) {
  Json::Members members = {{"key", option.key},
                           {"type", to_string(option.type)},
                           {"default", option.default_value},
                           {"help", option.help}};
  if (option.type == OptionSpec::Type::Choice)
    members.emplace_back("choices", json_strings(option.choices));
  if (option.type == OptionSpec::Type::Integer || option.type == OptionSpec::Type::Real) {
    members.emplace_back("low", option.low);
    members.emplace_back("high", option.high);
    members.emplace_back("can_be_auto", option.can_be_auto);
  }
  return Json::object(members);
}

Json method_json(const MethodInfo& method) {
  std::vector<Json> options;
  for (const OptionSpec& option : method.options) options.push_back(option_json(option));
  return Json::object({{"name", method.name},
                       {"title", method.title},
                       {"summary", method.summary},
                       {"oracle", method.oracle},
                       {"options", Json::array(options)}});
}

}  // namespace

Rendered render_method(const MethodInfo& method) {
  TextTable table({"key", "type", "values", "default", "meaning"});
  for (const OptionSpec& option : method.options)
    table.add(
        {option.key, to_string(option.type), values_of(option), option.default_value, option.help});
  return {fmt::format("{}: {}\n\n", method.title, method.summary) + table.text(),
          method_json(method)};
}

Rendered render_methods() {
  TextTable table({"method", "what it is"});
  std::vector<Json> methods;
  for (const MethodInfo& method : all_methods()) {
    table.add({method.name, method.summary});
    methods.push_back(method_json(method));
  }
  return {table.text(), Json::object({{"methods", Json::array(methods)}})};
}

namespace {

const char* scaling_text(Scaling scaling) {
  switch (scaling) {
    case Scaling::MinMax:
      return "minmax";
    case Scaling::Standardise:
      return "standard";
    case Scaling::None:
      return "none";
  }
  return "";
}

bool is_oracle(const std::string& method) {
  const MethodInfo* known = find_method(method);
  return known != nullptr && known->oracle;
}

// "a, b, c and 9 more"
std::string names_text(const std::vector<std::string>& names, std::size_t count) {
  constexpr std::size_t kShown = 8;
  if (names.empty()) return fmt::format("{} without names", count);
  const std::size_t shown = std::min(names.size(), kShown);
  const auto end = names.begin() + static_cast<long>(shown);
  return fmt::format("{}: {}{}", count, fmt::join(names.begin(), end, ", "),
                     shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "");
}

std::string shape_of(const Tensor& tensor) {
  return fmt::format("{}", fmt::join(tensor.shape, " x "));
}

// For machines also the numbers that only a checkpoint needs to go on.
std::map<std::string, std::string> notes_with_counters(const ModelState& state) {
  std::map<std::string, std::string> notes = state.display_notes();
  for (const auto& [name, count] : state.choices.counters)
    notes["state/" + name] = std::to_string(count);
  return notes;
}

std::string text_of(const ModelState& state, StateKind kind, std::uint64_t bytes) {
  std::string out = fmt::format(
      "{} of {}{}, {}, checksum right\n\n", kind == StateKind::Model ? "model" : "checkpoint",
      state.method, is_oracle(state.method) ? " (an oracle: it learnt from the truth)" : "",
      bytes_text(bytes));
  out += "labels    " + names_text(state.label_names, state.label_names.size()) + "\n";
  out += "features  " + names_text(state.feature_names, state.features) + "\n";
  out += std::string("scaling   ") + scaling_text(state.scaler.scaling) + "\n";
  if (state.recipe)
    for (const std::string& note : notes_on(*state.recipe)) out += "table     " + note + "\n";
  out += "\n";
  TextTable settings({"option", "value"}), notes({"note", "value"});
  for (const auto& [key, value] : state.options) settings.add({key, value});
  for (const auto& [key, value] : state.display_notes()) notes.add({key, value});
  TextTable tensors({"tensor", "shape", "size"}, {Align::Left, Align::Left, Align::Right});
  for (const Tensor& tensor : state.tensors)
    tensors.add({tensor.name, shape_of(tensor), bytes_text(tensor.values.size() * sizeof(float))});
  out += settings.text() + "\n" + notes.text() + "\n";
  for (const Guarantee& each : state.choices.guarantees)
    out += render_guarantee(each, state.label_names).text + "\n";
  return out + tensors.text();
}

Json json_of(const ModelState& state, StateKind kind, std::uint64_t bytes) {
  std::vector<Json> tensors;
  for (const Tensor& tensor : state.tensors)
    tensors.push_back(
        Json::object({{"name", tensor.name},
                      {"shape", Json::array({tensor.shape.begin(), tensor.shape.end()})}}));
  return Json::object(
      {{"kind", kind == StateKind::Model ? "model" : "checkpoint"},
       {"method", state.method},
       {"oracle", is_oracle(state.method)},
       {"bytes", bytes},
       {"options", json_texts(state.options)},
       {"notes", json_texts(notes_with_counters(state))},
       {"features", state.features},
       {"feature_names", json_strings(state.feature_names)},
       {"label_names", json_strings(state.label_names)},
       {"scaling", scaling_text(state.scaler.scaling)},
       {"table", json_strings(state.recipe ? notes_on(*state.recipe) : std::vector<std::string>())},
       {"guarantees", guarantees_json(state)},
       {"tensors", Json::array(tensors)}});
}

}  // namespace

Rendered render_state(const StateFile& file) {
  return {text_of(file.state, file.kind, file.bytes), json_of(file.state, file.kind, file.bytes)};
}

}  // namespace sieve
