#include "experiment/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hashes.h"
#include "base/named_rows.h"
#include "base/parse_number.h"
#include "data/read_settings.h"
#include "experiment/plan_keys.h"
#include "experiment/task.h"
#include "labelsieve/data_io.h"
#include "labelsieve/metrics.h"
#include "labelsieve/prepare.h"

namespace sieve {
namespace {

constexpr std::int64_t kMostLabels = 1'000'000;
constexpr std::size_t kMostTasks = 1'000'000;

struct PlannedData {
  PlannedSet set;
  std::vector<std::string> noise;
};

struct PlannedMethod {
  std::string name, learner, options;
};

void refuse_repeated(std::set<std::string>& seen, const PlanKeys& keys, const std::string& name) {
  if (!seen.insert(name).second)
    throw keys.error("name", "is '" + name + "', which is there already", "give it another name");
}

// The settings of a table, which `specs` must allow.
std::vector<std::pair<std::string, std::string>> checked_settings(
    const PlanKeys& keys, const std::vector<OptionSpec>& specs, const std::string& whose) {
  Options options(specs);
  std::vector<std::pair<std::string, std::string>> settings = keys.settings("set");
  std::map<std::string, std::string> given;  // by the key of the option
  for (const auto& [key, value] : settings) try {
      options.set(key, value);
      if (const auto [there, added] = given.emplace(options.spec(key).key, key); !added)
        throw Error(Failure::Usage, "'" + there->second + "' and '" + key + "' are one setting");
    } catch (const Error& error) {
      throw keys.error("set", "does not fit " + whose + ": " + error.message(), error.hint());
    }
  return settings;
}

std::vector<std::string> read_given(const PlanKeys& keys) {
  for (const char* key : {"levels", "set"})
    if (keys.has(key))
      throw keys.error(key, "has no meaning for noise = given",
                       "say which noise to add, e.g. noise = \"fill\"");
  return {"given"};
}

std::vector<std::string> read_noise(const PlanKeys& keys) {
  const std::string name = keys.text("noise", "given");
  const std::vector<std::string> known = noise_names();
  if (std::ranges::find(known, name) == known.end())
    throw keys.error(
        "noise", "cannot be '" + name + "'",
        did_you_mean(name, known, fmt::format("it is one of: {}", fmt::join(known, ", "))));
  if (name == "given") return read_given(keys);
  const std::vector<OptionSpec>& specs = noise_protocol(name).options;
  const auto settings = checked_settings(keys, {specs.begin() + 1, specs.end()}, name);
  std::vector<std::string> variants;
  for (const std::string& level : keys.numbers("levels")) {
    const auto plain = parse_number<double>(level);
    const auto noise =
        plain ? parse_noise(to_string({name, *plain, settings})) : std::optional<NoiseVariant>();
    if (!noise) throw keys.error("levels", "has " + level + ", which makes no sense for " + name);
    if (std::ranges::find(variants, to_string(*noise)) != variants.end())
      throw keys.error("levels", "has " + level + " twice");
    variants.push_back(to_string(*noise));
  }
  if (variants.empty())
    throw keys.error("levels", "is needed for noise = \"" + name + "\"",
                     "e.g. levels = [10, 8, 9]; the first is the main one");
  return variants;
}

// How a plan may say that a set is read: anything but files beside it, and annotations.
std::vector<const ReadSetting*> planned_settings() {
  std::vector<const ReadSetting*> rows;
  for (const ReadSetting& row : data_settings())
    if (row.option.type != OptionSpec::Type::Path) rows.push_back(&row);
  return rows;
}

ReadOptions read_reading(const PlanKeys& keys) {
  ReadSettings all;
  std::vector<const ReadSetting*> there;
  for (const ReadSetting* row : planned_settings()) {
    const auto given = keys.given(row->option, row->aliases);
    if (!given) continue;
    const std::string problem = put_checked(*row, all, given->value);
    if (!problem.empty()) throw keys.error(given->key, "does not fit: " + problem);
    there.push_back(row);
  }
  try {
    check_read_settings(all, there, [](const ReadSetting& row) { return row.option.key; });
  } catch (const Error& error) {
    throw keys.error("name", "cannot be read: " + error.message());
  }
  return all.options;
}

bool read_surely_true(const PlanKeys& keys) {
  const std::string role = keys.text("labels-are", "");
  if (!role.empty() && role != "truth")
    throw keys.error("labels-are", "can only be \"truth\"",
                     "an experiment needs true labels to measure against");
  return !role.empty();
}

std::vector<PlannedData> read_sets(const PlanKeys& plan) {
  const std::int64_t keep = plan.integer("keep-labels", 0, kMostLabels, 0);
  std::vector<PlannedData> all;
  std::set<std::string> seen;
  std::vector<std::string> known = {"name", "folder",      "noise",           "levels",
                                    "set",  "keep-labels", "keep-unlabelled", "get"};
  std::vector<std::string> earlier;
  for (const ReadSetting* row : planned_settings()) {
    known.push_back(row->option.key);
    earlier.insert(earlier.end(), row->aliases.begin(), row->aliases.end());
  }
  for (const Toml* table : plan.tables("data")) {
    const PlanKeys keys(*table, "[[data]]", known, earlier);
    PlannedData data;
    data.set.name = keys.name();
    refuse_repeated(seen, keys, data.set.name);
    data.set.folder = keys.text("folder", data.set.name);
    data.set.keep_labels =
        static_cast<std::size_t>(keys.integer("keep-labels", 0, kMostLabels, keep));
    data.set.keep_unlabelled = keys.flag("keep-unlabelled", false);
    data.set.get = keys.text("get", "");
    data.set.where = keys.where("name");
    data.set.read = read_reading(keys);
    data.set.surely_true = read_surely_true(keys);
    data.noise = read_noise(keys);
    data.set.given_noise = !keys.has("levels");
    all.push_back(std::move(data));
  }
  return all;
}

std::string joined_settings(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::string all;
  for (const auto& [key, value] : settings) all += (all.empty() ? "" : ",") + key + "=" + value;
  return all;
}

// Error(Usage) for votes that a set does not have, or a method does not want.
void check_votes(const PlanKeys& keys, const PlannedLearner& learner, const MethodInfo& method,
                 const std::vector<PlannedData>& sets) {
  if (learner.votes == nullptr) return;
  if (method.oracle)
    throw keys.error("learner", "is an oracle, which does not go by votes",
                     "write learner = \"" + method.name + "\"");
  for (const PlannedData& data : sets) {
    const auto noise = parse_noise(data.noise.front());
    if (noise->protocol == "given" || !noise_protocol(noise->protocol).votes)
      throw keys.error("learner",
                       "goes by votes (" + learner.votes->name + "), and the set '" +
                           data.set.name + "' has none",
                       "give the set noise = \"crowd\"");
  }
}

std::vector<PlannedMethod> read_methods(const PlanKeys& plan,
                                        const std::vector<PlannedData>& sets) {
  std::vector<PlannedMethod> all;
  std::set<std::string> seen;
  for (const Toml* table : plan.tables("method")) {
    const PlanKeys keys(*table, "[[method]]", {"name", "learner", "set"});
    PlannedMethod method;
    method.name = keys.name();
    refuse_repeated(seen, keys, method.name);
    method.learner = keys.text("learner", method.name);
    try {
      const PlannedLearner learner = parse_learner(method.learner);
      const MethodInfo& info = method_info(learner.method);
      method.options = joined_settings(checked_settings(keys, info.options, info.name));
      check_votes(keys, learner, info, sets);
    } catch (const Error& error) {
      if (!error.where().file.empty()) throw;
      throw Error(Failure::Usage, error.message(),
                  keys.where(keys.has("learner") ? "learner" : "name"), error.hint());
    }
    all.push_back(std::move(method));
  }
  return all;
}

std::vector<std::string> read_measures(const PlanKeys& plan) {
  const std::vector<std::string> known = names_of(all_metrics(), &MetricInfo::key);
  std::vector<std::string> wanted = plan.texts("measures");
  for (const std::string& key : wanted)
    if (std::ranges::find(known, key) == known.end())
      throw plan.error(
          "measures", "has '" + key + "', which is not a measure",
          did_you_mean(key, known, fmt::format("they are: {}", fmt::join(known, ", "))));
  if (wanted.empty()) wanted = {"hamming-loss", "ranking-loss", "one-error", "average-precision"};
  return wanted;
}

// A few lines of a plan can ask for more tasks than memory holds.
void refuse_too_many(const PlanKeys& plan, const std::vector<PlannedData>& sets,
                     std::size_t methods, std::size_t repeats) {
  std::size_t variants = 0;
  for (const PlannedData& data : sets) variants += data.noise.size();
  if (variants * methods * repeats > kMostTasks)
    throw plan.error("repeats",
                     fmt::format("makes {} tasks of {} variants and {} methods, and {} is the most",
                                 variants * methods * repeats, variants, methods, kMostTasks),
                     "take fewer repeats, levels or methods, or several plans");
}

// Of everything that gives the tasks their meaning.
std::string hash_of(const std::vector<Task>& tasks) {
  Fnv hash;
  for (const Task& task : tasks) {
    hash.add(fmt::format("{}\n{}\n{}\n{}\n{}\n", task.key, task.learner, task.options,
                         task.test_share, task.keep_labels));
    if (task.folds > 0) hash.add(fmt::format("{} folds\n", task.folds));
  }
  return fmt::format("{:016x}", hash.value());
}

}  // namespace

Plan read_plan(const std::string& path) {
  Toml file = read_toml(path, "plans are TOML; docs/experiment.md describes them");
  file.where.line = 1;
  const PlanKeys keys(file, "the plan",
                      {"title", "repeats", "first-seed", "test-share", "folds", "keep-labels",
                       "measures", "data", "method"});
  const std::int64_t folds = keys.has("folds") ? keys.integer("folds", 2, 10'000, 10) : 0;
  if (folds > 0 && keys.has("test-share"))
    throw keys.error("test-share", "has no meaning beside folds",
                     "say how many folds there are, or which share of the rows is held out");
  const std::int64_t repeats = keys.integer("repeats", 1, 10'000, folds > 0 ? folds : 10);
  const std::int64_t first_seed = keys.integer("first-seed", 0, 1'000'000'000, 1);
  const double test_share = keys.real("test-share", 0.001, 0.999, 0.2);
  Plan plan;
  plan.info.title = keys.text("title", path);
  plan.info.measures = read_measures(keys);
  const std::vector<PlannedData> sets = read_sets(keys);
  const std::vector<PlannedMethod> methods = read_methods(keys, sets);
  refuse_too_many(keys, sets, methods.size(), static_cast<std::size_t>(repeats));
  for (const auto& [set, variants] : sets) {
    plan.sets.push_back(set);
    for (const std::string& noise : variants)
      for (const PlannedMethod& method : methods)
        for (std::int64_t seed = first_seed; seed < first_seed + repeats; ++seed) {
          plan.tasks.push_back({"", set.name, noise, method.name, method.learner, method.options,
                                static_cast<std::uint64_t>(seed), test_share, set.keep_labels,
                                static_cast<std::size_t>(folds)});
          plan.tasks.back().key = task_key(plan.tasks.back());
        }
  }
  plan.info.hash = hash_of(plan.tasks);
  return plan;
}

namespace {

std::string path_of(const PlannedSet& set, const std::string& folder) {
  return folder + "/" + set.folder;
}

[[noreturn]] void refuse_unknown(const PlannedSet& set, const std::string& folder) {
  const auto names = FileSystem::real().list(folder);
  throw Error(Failure::Usage, "there is no data set '" + set.folder + "' in " + folder, set.where,
              did_you_mean(set.folder, names,
                           "put it there, or say in the plan where to get it: get = \"...\""));
}

Dataset load(const PlannedSet& set, const std::string& folder, ThreadPool& pool) {
  ReadOptions options = set.read;
  options.role = LabelRole::Truth;
  options.threads = &pool;
  Dataset data = read_dataset({path_of(set, folder)}, options);
  if (!data.truth)
    throw Error(Failure::Data,
                "the data set '" + set.name +
                    "' has candidates only: without the true labels there "
                    "is nothing to measure against",
                {path_of(set, folder), 0, 0},
                "put the true labels beside it, or leave it out of the plan");
  if (set.given_noise && !set.surely_true && *data.truth == data.candidates)
    throw Error(Failure::Data,
                "the data set '" + set.name +
                    "' has one set of labels, and nothing says whether they are right",
                {path_of(set, folder), 0, 0},
                "put the true labels beside it, add noise in the plan (noise = \"fill\"), or say "
                "that they are right (labels-are = \"truth\")");
  const bool fewer = set.keep_labels < data.labels();
  filter_labels(data, fewer ? set.keep_labels : 0, !set.keep_unlabelled);
  return data;
}

}  // namespace

DataSets load_data_sets(const Plan& plan, const std::vector<Task>& tasks,
                        const std::string& folder) {
  std::set<std::string> wanted;
  for (const Task& task : tasks) wanted.insert(task.data_set);
  DataSets sets;
  ThreadPool pool;
  for (const PlannedSet& set : plan.sets) {
    if (!wanted.contains(set.name)) continue;
    if (!FileSystem::real().exists(path_of(set, folder))) {
      if (set.get.empty()) refuse_unknown(set, folder);
      sets.absent.push_back({set.name, "not in the data folder", set.get});
      continue;
    }
    Dataset data = load(set, folder, pool);
    if (data.features.cols() == 0) {
      if (set.get.empty())
        throw Error(Failure::Data, "the data set '" + set.name + "' has labels but no features",
                    {path_of(set, folder), 0, 0}, "put its features beside the labels");
      sets.absent.push_back({set.name, "there without features", set.get});
      continue;
    }
    sets.ready.emplace(set.name, std::move(data));
  }
  return sets;
}

}  // namespace sieve
