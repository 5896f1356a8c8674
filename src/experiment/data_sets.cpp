#include "experiment/data_sets.h"

#include <set>

#include "base/named_rows.h"
#include "labelsieve/data_io.h"
#include "labelsieve/prepare.h"

namespace sieve {
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
