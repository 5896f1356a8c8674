#include "epoch_log_reader.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include "labelsieve/error.h"
#include "labelsieve/files.h"

namespace sieve {
namespace {

constexpr std::uint64_t kLargestLog = 1U << 30U;
constexpr std::size_t kLongestLine = 1U << 16U;  // also bounds how deep brackets may nest

Error refusal(const std::string& path, std::size_t line) {
  return {Failure::Data,
          "this is not a line of a training log",
          {path, line, 0},
          "give the file that sieve train --log wrote: one JSON object of numbers a line"};
}

EpochHistory::Column& column_of(EpochHistory& history, const std::string& name) {
  const auto found = std::ranges::find(history.columns, name, &EpochHistory::Column::name);
  if (found != history.columns.end()) return *found;
  return history.columns.emplace_back(EpochHistory::Column{name, {}});
}

}  // namespace

const EpochHistory::Column* EpochHistory::find(const std::string& name) const {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

EpochHistory read_epoch_log(const std::string& path) {
  const auto file = open_unpacked(FileSystem::real(), path);
  std::istringstream lines(read_all(*file, kLargestLog, path));
  EpochHistory history;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.size() > kLongestLine) throw refusal(path, number);
    const nlohmann::json epoch = nlohmann::json::parse(line, nullptr, false);
    if (!epoch.is_object()) throw refusal(path, number);
    ++history.epochs;
    for (const auto& [name, value] : epoch.items()) {
      if (!value.is_number() && !value.is_null()) throw refusal(path, number);
      std::vector<double>& values = column_of(history, name).values;
      values.resize(history.epochs, NAN);
      if (value.is_number()) values.back() = value.get<double>();
    }
  }
  for (EpochHistory::Column& column : history.columns) column.values.resize(history.epochs, NAN);
  if (history.epochs == 0)
    throw Error(Failure::Data, "the training log is empty", {path, 0, 0}, "leave --log out");
  return history;
}

}  // namespace sieve
