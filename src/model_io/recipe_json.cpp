#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "model_io/state_json.h"

namespace sieve {
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
