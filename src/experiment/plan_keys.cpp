#include "experiment/plan_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/named_rows.h"

namespace sieve {
namespace {

using Kind = Toml::Kind;

bool is_scalar(Kind kind) {
  return kind != Kind::List && kind != Kind::Table && kind != Kind::Other;
}

template <class Number>
Number parsed(const std::string& text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

PlanKeys::PlanKeys(const Toml& table, std::string title, const std::vector<std::string>& known,
                   const std::vector<std::string>& earlier)
    : table_(table), title_(std::move(title)) {
  for (const auto& [key, value] : table.members)
    if (std::ranges::find(known, key) == known.end() &&
        std::ranges::find(earlier, key) == earlier.end())
      throw Error(
          Failure::Usage, title_ + " has no key '" + key + "'", value.where,
          did_you_mean(key, known, fmt::format("the keys are: {}", fmt::join(known, ", "))));
}

Place PlanKeys::where(const std::string& key) const {
  const Toml* value = table_.find(key);
  return value != nullptr ? value->where : table_.where;
}

Error PlanKeys::error(const std::string& key, const std::string& problem,
                      const std::string& hint) const {
  return {Failure::Usage, "'" + key + "' of " + title_ + " " + problem, where(key), hint};
}

std::string PlanKeys::text(const std::string& key, const std::string& otherwise) const {
  const Toml* value = table_.find(key);
  if (value == nullptr) return otherwise;
  if (value->kind != Kind::Text) throw error(key, "must be text in quotes");
  return value->text;
}

std::int64_t PlanKeys::integer(const std::string& key, std::int64_t low, std::int64_t high,
                               std::int64_t otherwise) const {
  const Toml* value = table_.find(key);
  if (value == nullptr) return otherwise;
  const std::int64_t number = parsed<std::int64_t>(value->text);
  if (value->kind != Kind::Integer || number < low || number > high)
    throw error(key, fmt::format("must be a whole number from {} to {}", low, high));
  return number;
}

double PlanKeys::real(const std::string& key, double low, double high, double otherwise) const {
  const Toml* value = table_.find(key);
  if (value == nullptr) return otherwise;
  const double number = parsed<double>(value->text);
  if (!(value->kind == Kind::Real || value->kind == Kind::Integer) || !(number >= low) ||
      !(number <= high))
    throw error(key, fmt::format("must be a number from {} to {}", low, high));
  return number;
}

bool PlanKeys::flag(const std::string& key, bool otherwise) const {
  const Toml* value = table_.find(key);
  if (value == nullptr) return otherwise;
  if (value->kind != Kind::Flag) throw error(key, "must be true or false");
  return value->text == "true";
}

std::vector<std::string> PlanKeys::texts(const std::string& key) const {
  std::vector<std::string> all;
  const Toml* value = table_.find(key);
  if (value == nullptr) return all;
  if (value->kind != Kind::List) throw error(key, "must be a list, [\"...\", \"...\"]");
  for (const Toml& item : value->items) {
    if (item.kind != Kind::Text) throw error(key, "must be a list of texts in quotes");
    all.push_back(item.text);
  }
  return all;
}

std::vector<std::string> PlanKeys::numbers(const std::string& key) const {
  std::vector<std::string> all;
  const Toml* value = table_.find(key);
  if (value == nullptr) return all;
  if (value->kind != Kind::List || value->items.empty())
    throw error(key, "must be a list of numbers, e.g. [8, 9, 10]");
  for (const Toml& item : value->items) {
    if (item.kind != Kind::Integer && item.kind != Kind::Real)
      throw error(key, "must be a list of numbers, e.g. [8, 9, 10]");
    all.push_back(item.text);
  }
  return all;
}

GivenValue PlanKeys::value_of(const std::string& key, const OptionSpec& option) const {
  using Type = OptionSpec::Type;
  if (option.type == Type::List) return {texts(key), true};
  const Toml& value = *table_.find(key);
  const bool whole = option.type == Type::Integer, flag = option.type == Type::Flag;
  if (whole && value.kind != Kind::Integer) throw error(key, "must be a whole number");
  if (flag && value.kind != Kind::Flag) throw error(key, "must be true or false");
  return {{whole || flag ? value.text : text(key, "")}};
}

std::optional<PlanKeys::Given> PlanKeys::given(const OptionSpec& option,
                                               const std::vector<std::string>& earlier) const {
  std::vector<std::string> names = earlier;
  names.insert(names.begin(), option.key);
  std::erase_if(names, [&](const std::string& name) { return !has(name); });
  if (names.empty()) return {};
  if (names.size() > 1)
    throw error(names[1], "is an earlier name of '" + names[0] + "', which is there too",
                "keep '" + names[0] + "'");
  return Given{names[0], value_of(names[0], option)};
}

std::vector<const Toml*> PlanKeys::tables(const std::string& key) const {
  const Toml* value = table_.find(key);
  const bool right =
      value != nullptr && value->kind == Kind::List && !value->items.empty() &&
      std::ranges::all_of(value->items, [](const Toml& t) { return t.kind == Kind::Table; });
  if (!right)
    throw error(key, "is needed", "write [[" + key + "]] on a line and below it: name = \"...\"");
  std::vector<const Toml*> all;
  for (const Toml& item : value->items) all.push_back(&item);
  return all;
}

std::vector<std::pair<std::string, std::string>> PlanKeys::settings(const std::string& key) const {
  std::vector<std::pair<std::string, std::string>> all;
  const Toml* table = table_.find(key);
  if (table == nullptr) return all;
  if (table->kind != Kind::Table)
    throw error(key, "must be a table, e.g. " + key + " = { epochs = 20 }");
  for (const auto& [name, value] : table->members) {
    if (!is_scalar(value.kind)) throw error(key, "has no plain value for '" + name + "'");
    all.emplace_back(name, value.text);
  }
  return all;
}

std::string PlanKeys::name() const {
  const std::string value = text("name", "");
  static constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const bool plain = !value.empty() && value.find_first_not_of(kPlain) == std::string::npos;
  if (!plain || value == "main" || value.starts_with("seed-"))
    throw error("name", value.empty() ? "is needed" : "cannot be '" + value + "'",
                "letters, digits, '-', '_' and '.'; not main, and not seed-...");
  return value;
}

}  // namespace sieve
