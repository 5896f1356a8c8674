#include "c_api/read_settings.h"

#include <cmath>
#include <functional>
#include <optional>

#include "base/named_rows.h"
#include "base/parse_number.h"
#include "c_api/boundary.h"
#include "labelsieve/error.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

Error unfit(const std::string& key, const JsonValue& value, const std::string& expected) {
  return {Failure::Usage, term(key) + " cannot be '" + value.plain() + "': " + expected};
}

// What a value may be put into.
void put(const std::string&, const JsonValue& value, std::string& to) {
  to = value.plain();
}
void put(const std::string& key, const JsonValue& value, char& to) {
  const std::string text = value.plain() == "tab" ? "\t" : value.plain();
  if (text.size() > 1) throw unfit(key, value, "it is one character, or \"tab\"");
  to = text.empty() ? '\0' : text[0];
}
void put(const std::string& key, const JsonValue& value, bool& to) {
  if (value.plain() != "true" && value.plain() != "false")
    throw unfit(key, value, "it is true or false");
  to = value.plain() == "true";
}
void put(const std::string& key, const JsonValue& value, double& to) {
  const auto number = parse_number<double>(value.plain());
  if (!number) throw unfit(key, value, "it is a number");
  to = *number;
}
template <std::integral Number>
void put(const std::string& key, const JsonValue& value, Number& to) {
  const auto number = parse_number<Number>(value.plain());
  if (!number) throw unfit(key, value, "it is a whole number");
  to = *number;
}
void put(const std::string& key, const JsonValue& value, LabelRole& to) {
  const std::string role = value.plain();
  if (role != "candidates" && role != "truth") throw unfit(key, value, "it is candidates or truth");
  to = role == "truth" ? LabelRole::Truth : LabelRole::Candidates;
}
void put(const std::string&, const JsonValue& value, std::vector<std::string>& to) {
  if (!value.is_array()) {
    to = {value.plain()};
    return;
  }
  value.for_each([&](const JsonValue& one) { to.push_back(one.plain()); });
}
template <class T>
void put(const std::string& key, const JsonValue& value, std::optional<T>& to) {
  put(key, value, to.emplace());
}

template <class All>
struct Setting {
  std::string name;
  std::function<void(All&, const std::string&, const JsonValue&)> set;
};

// A row of a table: the field that a key stands for.
template <class All, class Field>
Setting<All> row(const char* name, Field field) {
  return {name, [field](All& all, const std::string& key, const JsonValue& value) {
            put(key, value, field(all));
          }};
}

template <class All>
All taken(const char* json, const std::vector<Setting<All>>& table) {
  All all;
  for_each_setting(json, [&](const std::string& key, const JsonValue& value) {
    row_named(table, key, "setting").set(all, key, value);
  });
  return all;
}

}  // namespace

ReadSettings read_settings(const char* json) {
  using All = ReadSettings;
#define FIELD(key, field) \
  row<All>(               \
      key, [](All & all) -> auto& { return all.field; })
  static const std::vector<Setting<All>> table = {
      FIELD("format", options.format),
      FIELD("role", options.role),
      FIELD("labels.names", options.labels.names),
      FIELD("labels.prefix", options.labels.prefix),
      FIELD("labels.count", options.labels.count),
      FIELD("labels.column", options.labels.column),
      FIELD("labels.separator", options.labels.separator),
      FIELD("labels.all", options.labels.all),
      FIELD("header", options.header),
      FIELD("delimiter", options.delimiter),
      FIELD("id_column", options.id_column),
      FIELD("id_file", options.id_file),
      FIELD("label_file", options.label_file),
      FIELD("xml", options.xml),
      FIELD("truth", truth),
      FIELD("table.text", options.table.text),
      FIELD("table.category", options.table.category),
      FIELD("table.date", options.table.date),
      FIELD("table.ignore", options.table.ignore),
      FIELD("table.terms.terms", options.table.terms.terms),
      FIELD("table.terms.pairs", options.table.terms.pairs),
      FIELD("table.terms.char_grams", options.table.terms.char_grams),
      FIELD("table.decimal", options.table.decimal),
      FIELD("table.thousands", options.table.thousands),
      FIELD("ticks.path", options.ticks.path),
      FIELD("ticks.looked", options.ticks.looked),
      FIELD("ticks.format", options.ticks.format),
      FIELD("ticks.item", options.ticks.item),
      FIELD("ticks.person", options.ticks.person),
      FIELD("ticks.label", options.ticks.label),
      FIELD("ticks.value", options.ticks.value),
      FIELD("ticks.columns", options.ticks.columns),
      FIELD("ticks.items_are", options.ticks.items_are),
      FIELD("ticks.separator", options.ticks.separator),
      FIELD("ticks.empty_words", options.ticks.empty_words),
      FIELD("ticks.merge_case", options.ticks.merge_case),
      FIELD("ticks.repeats", options.ticks.repeats),
      FIELD("ticks.all_people", options.ticks.all_people),
      FIELD("ticks.keep_unseen", options.ticks.keep_unseen),
  };
  return taken(json, table);
}

SynthOptions synth_settings(const char* json) {
  using All = SynthOptions;
  static const std::vector<Setting<All>> table = {
      FIELD("rows", rows),
      FIELD("features", features),
      FIELD("entries", entries),
      FIELD("labels", labels),
      FIELD("annotators", annotators),
      FIELD("annotators_per_row", annotators_per_row),
      FIELD("cardinality", cardinality),
      FIELD("noise", noise),
      FIELD("seed", seed),
      FIELD("votes", votes),
      FIELD("missing", missing),
  };
#undef FIELD
  return taken(json, table);
}

}  // namespace sieve
