#include "c_api/read_settings.h"

#include <fmt/format.h>

#include <map>

#include "base/named_rows.h"
#include "c_api/boundary.h"
#include "data/read_settings.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

GivenValue given_value(const JsonValue& value) {
  if (!value.is_array()) return {{value.plain()}};
  GivenValue list{{}, true};
  value.for_each([&](const JsonValue& one) { list.texts.push_back(one.plain()); });
  return list;
}

template <class All>
std::string name_of(const SettingRow<All>& row) {
  return term(row.term);
}

// Settings of a JSON object put into what they are of, and which they were.
template <class All>
struct Taken {
  All all{};
  std::vector<const SettingRow<All>*> given{};
};

template <class All>
Taken<All> taken(const char* json, const std::vector<SettingRow<All>>& table) {
  Taken<All> taken;
  std::map<const SettingRow<All>*, std::string> names;
  for_each_setting(json, [&](const std::string& key, const JsonValue& value) {
    const SettingRow<All>* row = find_setting(table, key);
    if (row == nullptr) throw no_such("setting", key, names_of(table, &SettingRow<All>::term));
    if (const auto [there, added] = names.try_emplace(row, key); !added)
      throw Error(Failure::Usage, fmt::format("'{}' and '{}' are one setting; give one of them",
                                              there->second, key));
    const GivenValue given = given_value(value);
    const std::string problem = put_checked(*row, taken.all, given);
    if (!problem.empty()) throw Error(Failure::Usage, name_of(*row) + ": " + problem);
    if (!given.text().empty() && given.text() != "false") taken.given.push_back(row);
  });
  return taken;
}

template <class All>
Json json_of(const std::vector<SettingRow<All>>& table) {
  std::vector<Json> rows;
  for (const SettingRow<All>& row : table) {
    std::vector<std::string> earlier = row.aliases;
    for (std::string& name : earlier) name = with_underscores(name);
    Json::Members members = {{"name", with_underscores(row.option.key)},
                             {"key", row.term},
                             {"kind", to_string(row.option.type)},
                             {"help", named_help(row.option.help, with_underscores)},
                             {"default", row.option.default_value},
                             {"earlier_names", json_strings(earlier)}};
    if (!row.option.choices.empty())
      members.emplace_back("choices", json_strings(row.option.choices));
    rows.push_back(Json::object(members));
  }
  return Json::array(rows);
}

}  // namespace

ReadSettings read_settings(const char* json) {
  Taken<ReadSettings> read = taken(json, read_setting_table());
  check_read_settings(read.all, read.given, name_of<ReadSettings>);
  return std::move(read.all);
}

SynthOptions synth_settings(const char* json) {
  return taken(json, synth_setting_table()).all;
}

Json read_settings_json() {
  return json_of(read_setting_table());
}

Json synth_settings_json() {
  return json_of(synth_setting_table());
}

}  // namespace sieve
