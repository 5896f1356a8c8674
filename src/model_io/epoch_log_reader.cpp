#include "labelsieve/model_io.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include "labelsieve/error.h"
#include "labelsieve/files.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

constexpr std::uint64_t kLargestLog = 1U << 30U;
constexpr std::size_t kLongestLine = 1U << 16U;  // also bounds how deep brackets may nest

Error refusal(const std::string& path, std::size_t line) {
  return {Failure::Data,
          "this is not a line of a training log",
          {path, line, 0},
          "give the file that " + term("EpochLog") + " wrote: one JSON object of numbers a line"};
}

bool reports_the_same(const nlohmann::json& epoch, const EpochHistory& history) {
  return std::ranges::equal(
      epoch.items(), history.columns,
      [](const auto& item, const auto& column) { return item.key() == column.name; });
}

void add_epoch(const nlohmann::json& epoch, std::vector<EpochHistory>& stretches) {
  if (stretches.empty() || !reports_the_same(epoch, stretches.back())) {
    stretches.emplace_back();
    for (const auto& item : epoch.items()) stretches.back().columns.push_back({item.key(), {}});
  }
  ++stretches.back().epochs;
  for (EpochHistory::Column& column : stretches.back().columns) {
    const nlohmann::json& value = epoch[column.name];
    column.values.push_back(value.is_number() ? value.get<double>() : NAN);
  }
}

bool is_line_of_log(const nlohmann::json& epoch) {
  return epoch.is_object() && std::ranges::all_of(epoch, [](const nlohmann::json& value) {
           return value.is_number() || value.is_null();
         });
}

}  // namespace

const EpochHistory::Column* EpochHistory::find(const std::string& name) const {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<EpochHistory> read_epoch_log(const std::string& path) {
  const auto file = open_unpacked(FileSystem::real(), path);
  std::istringstream lines(read_all(*file, kLargestLog, path));
  std::vector<EpochHistory> stretches;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.size() > kLongestLine) throw refusal(path, number);
    const nlohmann::json epoch = nlohmann::json::parse(line, nullptr, false);
    if (!is_line_of_log(epoch)) throw refusal(path, number);
    add_epoch(epoch, stretches);
  }
  if (stretches.empty())
    throw Error(Failure::Data, "the training log is empty", {path, 0, 0},
                "leave " + term("log") + " out");
  return stretches;
}

}  // namespace sieve
