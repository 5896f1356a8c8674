#include "model_io/state_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/parse_number.h"

namespace sieve {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kRules = {"constant", "row-min-max", "regressed", "top"};
constexpr std::array kStorages = {"dense rows", "sparse rows"};
constexpr std::string_view kCounters = "state";  // in front of those among earlier notes

// All but the counters, each with its name in `choices` and the name of its note.
template <class AnyChoices, class Use>
void for_each_choice(AnyChoices& choices, const Use& use) {
  use("seed", "seed", choices.seed);
  use("rows", "rows", choices.rows);
  use("data_checksum", "data", choices.data_checksum);
  use("storage", "features stored as", choices.storage);
  use("decision", "decision", choices.decision);
  use("activation", "activation", choices.activation);
  use("depth", "depth", choices.depth);
  use("noise_share", "noise_share", choices.noise_share);
  use("beta", "beta", choices.beta);
  use("share", "share", choices.share);
}

// ---- as text ------------------------------------------------------------------------------------

std::string text_of(std::uint64_t number) {
  return std::to_string(number);
}
std::string text_of(double number) {
  return std::to_string(number);
}
std::string text_of(const std::string& text) {
  return text;
}
std::string text_of(RowStorage storage) {
  return kStorages[static_cast<std::size_t>(storage)];
}
std::string text_of(DecisionRule rule) {
  return name_of(rule);
}

template <class Kind, class Names>
std::optional<Kind> kind_of(const std::string& text, const Names& names) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return {};
  return static_cast<Kind>(found - names.begin());
}

template <class Number>
bool parse(const std::string& text, std::optional<Number>& into) {
  return (into = parse_number<Number>(text)).has_value();
}
bool parse(const std::string& text, std::optional<std::string>& into) {
  into = text;
  return true;
}
bool parse(const std::string& text, std::optional<RowStorage>& into) {
  return (into = kind_of<RowStorage>(text, kStorages)).has_value();
}
bool parse(const std::string& text, std::optional<DecisionRule>& into) {
  return (into = kind_of<DecisionRule>(text, kRules)).has_value();
}

// ---- as JSON ------------------------------------------------------------------------------------

Json json_of(std::uint64_t number) {
  return number;
}
Json json_of(double number) {
  return number;
}
template <class Texted>
Json json_of(const Texted& choice) {
  return text_of(choice);
}

bool take(const Json& json, std::optional<std::uint64_t>& into) {
  if (!json.is_number_unsigned()) return false;
  into = json.get<std::uint64_t>();
  return true;
}
bool take(const Json& json, std::optional<double>& into) {
  if (!json.is_number()) return false;
  into = json.get<double>();
  return true;
}
template <class Texted>
bool take(const Json& json, std::optional<Texted>& into) {
  return json.is_string() && parse(json.get<std::string>(), into);
}

Json json_of(const Guarantee& guarantee) {
  Json thresholds = Json::array(), shared = Json::array(), decisions = Json::array();
  for (const GuaranteedLabel& label : guarantee.labels) {
    const bool ever = std::isfinite(label.threshold);
    thresholds.push_back(ever ? Json(static_cast<double>(label.threshold)) : Json());
    shared.push_back(label.shared);
    decisions.push_back(label.decisions);
  }
  return {{"about", guarantee.about}, {"share", guarantee.share}, {"level", guarantee.level},
          {"rows", guarantee.rows},   {"thresholds", thresholds}, {"shared", shared},
          {"decisions", decisions}};
}

// The JSON library throws where something has another type.
bool take_guarantee(const Json& json, std::size_t labels, Guarantee& into) {
  const auto count = [](const Json& value) {
    if (!value.is_number_unsigned()) throw RecipeProblem("its guarantee has an invalid number");
    return value.get<std::uint64_t>();
  };
  into.about = json.at("about").get<std::string>();
  into.share = json.at("share").get<double>();
  into.level = json.at("level").get<double>();
  into.rows = count(json.at("rows"));
  const Json &thresholds = json.at("thresholds"), &shared = json.at("shared"),
             &decisions = json.at("decisions");
  for (const Json* list : {&thresholds, &shared, &decisions})
    if (!list->is_array() || list->size() != labels) return false;
  for (std::size_t l = 0; l < labels; ++l) {
    if (!thresholds[l].is_null() && !thresholds[l].is_number()) return false;
    into.labels.push_back({thresholds[l].is_null() ? std::numeric_limits<float>::infinity()
                                                   : thresholds[l].get<float>(),
                           shared[l].get<bool>(), count(decisions[l])});
  }
  const auto inside = [](double share) { return share > 0 && share < 1; };
  return (into.about == "precision" || into.about == "recall") && inside(into.share) &&
         inside(into.level);
}

bool take_guarantees(const Json& json, ModelState& state) {
  if (!json.is_object() || !json.contains("guarantees")) return true;
  if (!json["guarantees"].is_array()) return false;
  for (const Json& each : json["guarantees"])
    if (!take_guarantee(each, state.label_names.size(), state.choices.guarantees.emplace_back()))
      return false;
  return true;
}

Json json_of_one(const Choices& choices) {
  Json json = Json::object();
  for_each_choice(choices, [&](const char* name, const char*, const auto& choice) {
    if (choice) json[name] = json_of(*choice);
  });
  for (const Guarantee& each : choices.guarantees) json["guarantees"].push_back(json_of(each));
  if (!choices.counters.empty()) json["counters"] = choices.counters;
  return json;
}

// Calls use(name, value) for the members of a member that is an object, until one is not valid.
template <class Use>
bool all_members(const Json& json, const char* name, const Use& use) {
  if (!json.contains(name)) return true;
  if (!json[name].is_object()) return false;
  for (const auto& [key, value] : json[name].items())
    if (!use(key, value)) return false;
  return true;
}

bool take_one(const Json& json, Choices& choices) {
  if (!json.is_object()) return false;
  bool valid = true;
  for_each_choice(choices, [&](const char* name, const char*, auto& choice) {
    if (json.contains(name)) valid = valid && take(json[name], choice);
  });
  return valid && all_members(json, "counters", [&](const std::string& name, const Json& value) {
           std::optional<std::uint64_t> count;
           if (!take(value, count)) return false;
           choices.counters[name] = *count;
           return true;
         });
}

// ---- as notes -----------------------------------------------------------------------------------

using Notes = std::map<std::string, std::string>;

Notes notes_of_one(const Choices& choices) {
  Notes notes;
  for_each_choice(choices, [&](const char*, const char* note, const auto& choice) {
    if (choice) notes[note] = text_of(*choice);
  });
  for (const Guarantee& each : choices.guarantees) {
    std::size_t alone = 0, together = 0;
    for (const GuaranteedLabel& label : each.labels)
      if (label.decisions > 0) ++(label.shared ? together : alone);
    notes[fmt::format("guarantee {}={}", each.about, each.share)] =
        fmt::format("{} labels alone, {} together, {} {} on; {} decided rows, level {}", alone,
                    together, each.labels.size() - alone - together,
                    each.about == "recall" ? "always" : "never", each.rows, each.level);
  }
  return notes;
}

// Of a part what is not so of the whole, with the name of the part in front.
Notes notes_of_choices(const ModelState& state) {
  const Notes whole = notes_of_one(state.choices);
  Notes notes = whole;
  for (const auto& [part, choices] : state.part_choices)
    for (const auto& [name, text] : notes_of_one(choices))
      if (!whole.contains(name) || whole.at(name) != text) notes[part + "/" + name] = text;
  return notes;
}

// Whether the note is a choice.
bool take_note(const std::string& name, const std::string& text, Choices& choices) {
  bool taken = false;
  for_each_choice(choices, [&](const char*, const char* note, auto& choice) {
    if (name == note) taken = parse(text, choice);
  });
  return taken;
}

bool take_counter(const std::string& name, const std::string& text, Choices& choices) {
  const auto count = parse_number<std::uint64_t>(text);
  if (count) choices.counters[name] = *count;
  return count.has_value();
}

}  // namespace

const char* name_of(DecisionRule rule) {
  return kRules[static_cast<std::size_t>(rule)];
}

std::map<std::string, std::string> ModelState::display_notes() const {
  Notes all = notes_of_choices(*this);
  all.insert(notes.begin(), notes.end());
  return all;
}

Json choices_json(const ModelState& state) {
  Json json = json_of_one(state.choices);
  for (const auto& [part, choices] : state.part_choices) json["parts"][part] = json_of_one(choices);
  return json;
}

bool take_choices_from_json(const Json& json, ModelState& state) {
  const bool valid = take_one(json, state.choices) && take_guarantees(json, state) &&
                     all_members(json, "parts", [&](const std::string& part, const Json& value) {
                       return take_one(value, state.part_choices[part]);
                     });
  for (const auto& [name, text] : notes_of_choices(state)) state.notes.erase(name);
  return valid;
}

void take_choices_from_notes(ModelState& state) {
  std::erase_if(state.notes, [&](const auto& note) {
    return take_note(note.first, note.second, state.choices);
  });
  std::erase_if(state.notes, [&](const auto& note) {
    const auto& [name, text] = note;
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) return false;
    const std::string part = name.substr(0, slash), rest = name.substr(slash + 1);
    if (part == kCounters) return take_counter(rest, text, state.choices);
    const auto known = state.part_choices.find(part);
    Choices choices = known != state.part_choices.end() ? known->second : state.choices;
    const bool taken = take_note(rest, text, choices);
    if (taken) state.part_choices[part] = std::move(choices);
    return taken;
  });
}

namespace {

using Json = nlohmann::ordered_json;
using Kind = RecipeColumn::Kind;

constexpr std::array<std::string_view, 4> kKinds = {"number", "category", "text", "date"};

std::string weights_name(std::size_t column) {
  return "recipe/weights" + std::to_string(column);
}

// The library would turn -1 and 0.5 into some number.
std::size_t count(const Json& value) {
  if (!value.is_number_unsigned()) throw RecipeProblem("its recipe has an invalid number");
  return value.get<std::size_t>();
}

std::vector<float> take_tensor(ModelState& state, const std::string& name) {
  const auto found = std::ranges::find(state.tensors, name, &Tensor::name);
  if (found == state.tensors.end()) throw RecipeProblem("its recipe lacks numbers");
  std::vector<float> values = std::move(found->values);
  state.tensors.erase(found);
  return values;
}

char character(const Json& value) {
  const std::string text = value.get<std::string>();
  if (text.size() > 1) throw RecipeProblem("its recipe has an invalid character");
  return text.empty() ? '\0' : text[0];
}

RecipeColumn column_of(const Json& json, std::size_t k, ModelState& state) {
  RecipeColumn column;
  const auto kind = std::ranges::find(kKinds, json.at("kind").get<std::string>());
  if (kind == kKinds.end()) throw RecipeProblem("its recipe has a column of an unknown kind");
  column.kind = static_cast<Kind>(kind - kKinds.begin());
  json.at("name").get_to(column.name);
  json.at("marks_missing").get_to(column.marks_missing);
  json.at("hashed").get_to(column.hashed);
  json.at("values").get_to(column.values);
  column.missing = count(json.at("missing"));
  if (column.kind == Kind::Text) column.weights = take_tensor(state, weights_name(k));
  return column;
}

}  // namespace

Json recipe_json(const FeatureRecipe& recipe) {
  Json json;
  json["rows"] = recipe.rows;
  json["decimal"] = std::string(1, recipe.decimal);
  json["thousands"] = recipe.thousands == 0 ? std::string() : std::string(1, recipe.thousands);
  json["text"] = {{"terms", recipe.text.terms},
                  {"hash_bits", recipe.text.hash_bits},
                  {"pairs", recipe.text.pairs},
                  {"char_grams", recipe.text.char_grams}};
  json["columns"] = Json::array();
  for (const RecipeColumn& column : recipe.columns)
    json["columns"].push_back({{"name", column.name},
                               {"kind", kKinds[static_cast<std::size_t>(column.kind)]},
                               {"missing", column.missing},
                               {"marks_missing", column.marks_missing},
                               {"hashed", column.hashed},
                               {"values", column.values}});
  return json;
}

std::vector<Tensor> recipe_tensors(const FeatureRecipe& recipe) {
  Tensor fill{"recipe/fill", {recipe.columns.size()}, {}};
  for (const RecipeColumn& column : recipe.columns) fill.values.push_back(column.fill);
  std::vector<Tensor> tensors = {std::move(fill)};
  for (std::size_t k = 0; k < recipe.columns.size(); ++k)
    if (const RecipeColumn& column = recipe.columns[k]; column.kind == Kind::Text)
      tensors.push_back({weights_name(k), {column.weights.size()}, column.weights});
  return tensors;
}

std::shared_ptr<const FeatureRecipe> recipe_of(const Json& json, ModelState& state) {
  constexpr std::size_t kMostBits = 24, kLongestGrams = 64;
  FeatureRecipe recipe;
  recipe.rows = count(json.at("rows"));
  recipe.decimal = character(json.at("decimal"));
  recipe.thousands = character(json.at("thousands"));
  const Json& text = json.at("text");
  recipe.text.terms = count(text.at("terms"));
  recipe.text.hash_bits = count(text.at("hash_bits"));
  text.at("pairs").get_to(recipe.text.pairs);
  recipe.text.char_grams = count(text.at("char_grams"));
  if (recipe.text.hash_bits > kMostBits || recipe.text.char_grams > kLongestGrams)
    throw RecipeProblem("its recipe has a number out of range");
  if (!json.at("columns").is_array()) throw RecipeProblem("its recipe has no list of columns");
  for (const Json& column : json["columns"])
    recipe.columns.push_back(column_of(column, recipe.columns.size(), state));
  const std::vector<float> fill = take_tensor(state, "recipe/fill");
  if (fill.size() != recipe.columns.size()) throw RecipeProblem("its recipe lacks numbers");
  for (std::size_t k = 0; k < fill.size(); ++k) {
    RecipeColumn& column = recipe.columns[k];
    column.fill = fill[k];
    if (column.kind == Kind::Text && column.weights.size() != column.width(recipe.text))
      throw RecipeProblem("its recipe has the wrong number of weights");
  }
  if (recipe.width() != state.features) throw RecipeProblem("its recipe does not fit its features");
  return std::make_shared<const FeatureRecipe>(std::move(recipe));
}

}  // namespace sieve
