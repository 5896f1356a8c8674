#include "experiment/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/named_rows.h"
#include "base/parse_number.h"
#include "labelsieve/error.h"
#include "labelsieve/prepare.h"

namespace sieve {
namespace {

constexpr const char* kGiven = "given";

// The noise of that level; Error(Usage) if there is none.
AddNoise noise_of(const NoiseVariant& noise) {
  const NoiseProtocol& protocol = noise_protocol(noise.protocol);
  Options options(protocol.options);
  for (const auto& [key, value] : noise.settings) options.set(key, value);
  options.set(protocol.options.front().key, fmt::format("{}", noise.level));
  return protocol.make(options);
}

}  // namespace

std::vector<std::string> noise_names() {
  std::vector<std::string> names = names_of(noise_protocols());
  names.insert(names.begin(), kGiven);
  return names;
}

std::string to_string(const NoiseVariant& noise) {
  if (noise.protocol == kGiven) return noise.protocol;
  std::string text = fmt::format("{}-{}", noise.protocol, noise.level);
  for (const auto& [key, value] : noise.settings) text += fmt::format(":{}={}", key, value);
  return text;
}

std::optional<NoiseVariant> parse_noise(const std::string& text) {
  if (text == kGiven) return NoiseVariant{};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::size_t dash = std::min(text.find('-'), colon);
  const std::size_t level_at = std::min(dash + 1, colon);
  const auto level =
      parse_number<double>(std::string_view(text).substr(level_at, colon - level_at));
  if (!level) return std::nullopt;
  NoiseVariant noise{text.substr(0, dash), *level};
  for (std::size_t at = colon; at < text.size();) {
    const std::size_t end = std::min(text.find(':', at + 1), text.size());
    const std::string setting = text.substr(at + 1, end - at - 1);
    const std::size_t equals = std::min(setting.find('='), setting.size());
    noise.settings.emplace_back(setting.substr(0, equals),
                                setting.substr(std::min(equals + 1, setting.size())));
    at = end;
  }
  try {
    noise_of(noise);
  } catch (const Error&) {
    return std::nullopt;
  }
  return noise;
}

Dataset noisy_rows(const Dataset& data, std::span<const std::size_t> rows,
                   const NoiseVariant& noise, std::uint64_t seed, ThreadPool& pool) {
  if (noise.protocol == kGiven) return data.select_rows(rows);
  const AddNoise add = noise_of(noise);
  if (noise_protocol(noise.protocol).learns) {
    Dataset chosen = data.select_rows(rows);
    add(chosen, seed, pool);
    return chosen;
  }
  // The draws of the others go by the row in the whole set.
  Dataset whole = data.clone();
  add(whole, seed, pool);
  return whole.select_rows(rows);
}

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
