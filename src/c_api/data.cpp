#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include "base/named_rows.h"
#include "c_api/boundary.h"
#include "c_api/handles.h"
#include "data/read_settings.h"
#include "labelsieve/data_io.h"
#include "labelsieve/error.h"
#include "labelsieve/options.h"
#include "labelsieve/prepare.h"
#include "report/rendered.h"

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

// Error(Usage) naming a key that there is not, with the nearest, or a value that makes no sense.
ReadSettings read_settings(const char* json) {
  Taken<ReadSettings> read = taken(json, read_setting_table());
  check_read_settings(read.all, read.given, name_of<ReadSettings>);
  return std::move(read.all);
}

SynthOptions synth_settings(const char* json) {
  return taken(json, synth_setting_table()).all;
}

// The settings that reading and making up take, by the names that Python has for them.
Json read_settings_json() {
  return json_of(read_setting_table());
}

Json synth_settings_json() {
  return json_of(synth_setting_table());
}

// `prepare` has the last word on how files are read.
ls_data* read_files(const std::vector<std::string>& files, const char* settings,
                    std::size_t threads, char** notes,
                    const std::function<void(ReadOptions&)>& prepare) {
  ThreadPool pool(checked_threads(threads));
  std::vector<std::string> said;
  auto [options, truth] = read_settings(settings);
  options.threads = &pool;
  options.notes = &said;
  prepare(options);
  Dataset read = read_dataset(files, options);
  if (!truth.empty()) read_truth(read, truth, options);
  auto made = std::make_unique<ls_data>();
  made->data = std::move(read);
  if (notes != nullptr) *notes = text_for_caller(json_strings(said).text());
  return made.release();
}

}  // namespace

extern "C" {

LS_API int ls_data_from_arrays(const ls_arrays* arrays, ls_data** data) {
  return guarded([&] {
    require_argument(arrays, "arrays");
    require_argument(data, "data");
    const ls_arrays known = known_part(*arrays, "arrays");
    *data = new ls_data{dataset_of(known), known.features};
  });
}

LS_API int ls_data_view(ls_data* data, ls_arrays* arrays) {
  return guarded([&] {
    require_argument(data, "data");
    require_argument(arrays, "arrays");
    std::call_once(data->laid_out, [&] {
      data->parts = std::make_unique<const ArrayParts>(data->data,
                                                       data->features ? &*data->features : nullptr);
    });
    check_struct(arrays, arrays->struct_size, arrays->struct_size, "arrays");
    ls_arrays shown;
    data->parts->fill(data->data, shown);
    shown.struct_size = std::min(arrays->struct_size, sizeof shown);
    std::memcpy(arrays, &shown, shown.struct_size);
  });
}

LS_API int ls_data_read(const char* const* paths, size_t count, const char* settings,
                        const ls_model* model, size_t threads, ls_data** data, char** notes) {
  return guarded([&] {
    require_argument(data, "data");
    *data = read_files(texts_of(paths, count, "paths"), settings, threads, notes,
                       [&](ReadOptions& options) {
                         if (model == nullptr) return;
                         options.labels.optional = true;
                         options.known_features = model->model->state().feature_names;
                         options.recipe = model->model->state().recipe;
                       });
  });
}

LS_API int ls_data_read_unlabelled(const char* const* paths, size_t count, const char* settings,
                                   const ls_data* like, size_t threads, ls_data** data,
                                   char** notes) {
  return guarded([&] {
    require_argument(like, "like");
    require_argument(data, "data");
    *data = read_files(texts_of(paths, count, "paths"), settings, threads, notes,
                       [&](ReadOptions& options) {
                         options.labels = {};  // columns of labels are none of the features
                         options.labels.optional = true;
                         options.label_file.clear();
                         options.ticks = {};
                         options.known_features = like->data.feature_names;
                         options.recipe = like->data.recipe;
                       });
  });
}

LS_API int ls_settings(char** json) {
  return guarded([&] {
    require_argument(json, "json");
    *json = text_for_caller(
        Json::object({{"read", read_settings_json()}, {"synthetic", synth_settings_json()}})
            .text());
  });
}

LS_API int ls_data_synthetic(const char* settings, ls_data** data) {
  return guarded([&] {
    require_argument(data, "data");
    ThreadPool pool;
    *data = new ls_data{make_synthetic(synth_settings(settings), pool)};
  });
}

LS_API int ls_data_inspect(const ls_data* data, char** json) {
  return guarded([&] {
    require_argument(data, "data");
    require_argument(json, "json");
    const DatasetSummary summary = summarise(data->data);
    constexpr std::size_t kAnyWidth = 80;
    *json = text_for_caller(render_dataset(summary, warnings_of(summary), kAnyWidth).json.text());
  });
}

LS_API void ls_free_data(ls_data* data) {
  delete data;
}

}  // extern "C"
}  // namespace sieve
