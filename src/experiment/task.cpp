#include "experiment/task.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/named_rows.h"
#include "labelsieve/error.h"

namespace sieve {

const std::vector<VoteUse>& vote_uses() {
  static const std::vector<VoteUse> table = {
      {"majority", LearnFrom::VotesAlone, Aggregation::Majority},
      {"dawid-skene", LearnFrom::VotesAlone, Aggregation::TwoCoins},
      {"annotators", LearnFrom::VotesAlone, Aggregation::CrowdModel},
      {"joint", LearnFrom::VotesAndFeatures},
      {"people", LearnFrom::VotesAlone, Aggregation::CrowdModel},  // the earlier name
  };
  return table;
}

PlannedLearner parse_learner(const std::string& text) {
  const std::size_t plus = text.find('+');
  if (plus == std::string::npos) return {nullptr, text};
  return {&row_named(vote_uses(), text.substr(0, plus), "use of votes"), text.substr(plus + 1)};
}

namespace {

constexpr const char* kMain = "main";
constexpr std::size_t kNoisePart = 1;

// At which part of the key the word stands: 0 data set, 1 noise, 2 method, 3 seed.
std::optional<std::size_t> part_of(const std::string& key, const std::string& word) {
  const std::string all = "/" + key + "/";
  const std::size_t at = all.find("/" + word + "/");
  if (at == std::string::npos) return std::nullopt;
  return static_cast<std::size_t>(
      std::count(all.begin(), all.begin() + static_cast<long>(at), '/'));
}

std::size_t part_of_any(const std::vector<Task>& tasks, const std::string& word) {
  if (word == kMain) return kNoisePart;
  std::set<std::string> words = {kMain};
  for (const Task& task : tasks) {
    if (const auto part = part_of(task.key, word)) return *part;
    words.insert({task.data_set, task.noise, task.method, "seed-" + std::to_string(task.seed)});
  }
  throw Error(Failure::Usage, "no task of the plan matches '" + word + "'", {},
              did_you_mean(word, {words.begin(), words.end()},
                           "it takes names of data sets, noise variants and methods, seed-N, "
                           "main, or parts of a key such as yeast/fill-10"));
}

}  // namespace

double Result::measure(const std::string& name) const {
  for (const auto& [key, value] : measures)
    if (key == name) return value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string task_key(const Task& task) {
  return task.data_set + "/" + task.noise + "/" + task.method + "/seed-" +
         std::to_string(task.seed);
}

std::vector<std::string> cut_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

std::vector<Task> select_tasks(const std::vector<Task>& tasks,
                               const std::vector<std::string>& words) {
  std::map<std::size_t, std::vector<std::string>> by_part;
  for (const std::string& word : words) by_part[part_of_any(tasks, word)].push_back(word);
  std::map<std::string, std::string> main_noise;
  for (const Task& task : tasks) main_noise.emplace(task.data_set, task.noise);

  std::vector<Task> chosen;
  for (const Task& task : tasks) {
    const auto matches = [&](const std::string& word) {
      return word == kMain ? task.noise == main_noise[task.data_set]
                           : part_of(task.key, word).has_value();
    };
    if (std::ranges::all_of(by_part, [&](const auto& alternatives) {
          return std::ranges::any_of(alternatives.second, matches);
        }))
      chosen.push_back(task);
  }
  return chosen;
}

}  // namespace sieve
