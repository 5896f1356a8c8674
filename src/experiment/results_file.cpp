#include "experiment/results_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "base/streams.h"
#include "data/csv/csv_cells.h"
#include "data/text/text_lines.h"
#include "labelsieve/error.h"

namespace sieve {
namespace {

// A column that is not a measure.
struct Column {
  const char* name;
  std::function<std::string(const Result&)> text;
  std::function<bool(const std::string&, Result&)> read;  // false: not a value
};

template <class Number>
bool read_number(const std::string& cell, Number& value) {
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && end == cell.data() + cell.size();
}

// A column for a text or a number of a result: a field, or a field of a field.
template <class... Fields>
Column column(const char* name, Fields... fields) {
  const auto field = [=](auto& result) -> auto& {
    return (result.*....*fields);
  };
  return {name,
          [=](const Result& result) {
            const auto& value = field(result);
            if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>)
              return fmt::format("{:.6g}", value);
            else
              return fmt::format("{}", value);
          },
          [=](const std::string& cell, Result& result) {
            auto& value = field(result);
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
              value = cell;
            else
              return read_number(cell, value);
            return true;
          }};
}

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      column("data_set", &Result::task, &Task::data_set),
      column("noise", &Result::task, &Task::noise),
      column("method", &Result::task, &Task::method),
      column("seed", &Result::task, &Task::seed),
      column("learner", &Result::task, &Task::learner),
      column("options", &Result::task, &Task::options),
      column("test_share", &Result::task, &Task::test_share),
      column("keep_labels", &Result::task, &Task::keep_labels),
      column("folds", &Result::task, &Task::folds),
      column("train_rows", &Result::train_rows),
      column("test_rows", &Result::test_rows),
      column("features", &Result::features),
      column("labels", &Result::labels),
      column("candidates", &Result::candidates),
      column("fit_seconds", &Result::fit_seconds),
      column("peak_bytes", &Result::peak_bytes),
      column("version", &Result::version),
      column("finished", &Result::finished),
      column("processor", &Result::processor),
      column("data_fingerprint", &Result::fingerprints, &Fingerprints::data),
      column("method_fingerprint", &Result::fingerprints, &Fingerprints::method)};
  return all;
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    append_csv_cell(line, cells[i], ',');
  }
  return line + '\n';
}

std::vector<std::string> header(const std::vector<std::string>& measures) {
  std::vector<std::string> names;
  for (const Column& each : columns()) names.emplace_back(each.name);
  names.insert(names.end(), measures.begin(), measures.end());
  return names;
}

Result result_in(const std::vector<std::string>& cells, const std::vector<std::string>& names,
                 const Place& place) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Failure::Data, why, place, "write the file again from its store");
  };
  if (cells.size() != names.size())
    refuse(fmt::format("this line has {} cells, and the first one {}", cells.size(), names.size()));
  Result result;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    bool right = false;
    if (i < columns().size()) {
      right = columns()[i].read(cells[i], result);
    } else {
      double value = std::nan("");
      right = cells[i].empty() || read_number(cells[i], value);
      result.measures.emplace_back(names[i], value);
    }
    if (!right) refuse(fmt::format("'{}' cannot be the '{}' of a result", cells[i], names[i]));
  }
  result.seconds = result.fit_seconds;
  result.task.key = task_key(result.task);
  return result;
}

}  // namespace

std::string results_csv(const StoredResults& stored, const std::vector<Task>& tasks) {
  std::map<std::string, const Result*> done;
  for (const Result& result : stored.results)
    if (result.done()) done[result.task.key] = &result;
  std::string text = line_of(header(stored.plan.measures));
  for (const Task& task : tasks) {
    const auto found = done.find(task.key);
    if (found == done.end()) continue;
    std::vector<std::string> cells;
    for (const Column& each : columns()) cells.push_back(each.text(*found->second));
    for (const std::string& measure : stored.plan.measures) {
      const double value = found->second->measure(measure);
      cells.push_back(std::isfinite(value) ? fmt::format("{:.6g}", value) : "");
    }
    text += line_of(cells);
  }
  return text;
}

bool is_results_file(const std::string& path) {
  const std::string first = line_of(header({}));
  const std::string_view beginning(first.data(), first.size() - 1);
  return read_front(*FileSystem::real().open(path), beginning.size()) == beginning;
}

StoredResults read_results_file(const std::string& path) {
  const std::unique_ptr<InputStream> in = FileSystem::real().open(path);
  LineSource lines(*in, path);
  std::string_view line;
  lines.next(line);
  const std::vector<std::string> names = cells_of(line, 1, ',', path);
  StoredResults stored;
  stored.plan.title = path;
  stored.plan.measures.assign(names.begin() + static_cast<std::ptrdiff_t>(columns().size()),
                              names.end());
  while (lines.next(line)) {
    const Place place{path, lines.line_number(), 0};
    stored.results.push_back(
        result_in(cells_of(line, lines.line_number(), ',', path), names, place));
    stored.tasks.push_back(stored.results.back().task);
    stored.version = stored.results.back().version;
  }
  return stored;
}

namespace {

// "0.10.2" as numbers, so that it comes after "0.9.0".
std::vector<int> numbers_of(const std::string& version) {
  std::vector<int> numbers;
  const char* at = version.data();
  const char* const end = at + version.size();
  int number = 0;
  while (at < end) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    at = next == end ? end : next + 1;
  }
  return numbers;
}

// What results on one set have in common.
std::string data_of(const Result& result) {
  return fmt::format("{}, {} labels kept", result.task.data_set, result.task.keep_labels);
}
std::string shape_of(const Result& result) {
  return fmt::format("{} x {} x {}", result.train_rows + result.test_rows, result.features,
                     result.labels);
}
// What results of one method have in common, as far as their fingerprint goes.
std::string method_of(const Result& result) {
  return result.task.noise + "/" + result.task.learner + "/" + result.task.options;
}

// Of those that finished in the same second, the one that a store took last.
bool is_later(const Result& a, const Result& b) {
  return std::tie(a.finished, a.id) >= std::tie(b.finished, b.id);
}

// The latest result of each kind.
template <class Kind>
std::map<std::string, const Result*> latest_by(const std::vector<Result>& results, Kind kind) {
  std::map<std::string, const Result*> latest;
  for (const Result& result : results) {
    if (!result.done()) continue;
    const Result*& last = latest[kind(result)];
    if (last == nullptr || is_later(result, *last)) last = &result;
  }
  return latest;
}

bool differ(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

// Leaves the results for which `belongs`, and says how many others there were.
template <class Belongs>
void keep(StoredResults& stored, Belongs belongs, const char* what,
          std::vector<std::string>& left_out) {
  std::vector<Result> kept;
  for (const Result& result : stored.results)
    if (!result.done() || belongs(result)) kept.push_back(result);
  if (const std::size_t others = stored.results.size() - kept.size())
    left_out.push_back(fmt::format("{} {}", others, what));
  stored.results = std::move(kept);
}

}  // namespace

StoredResults current_results(StoredResults stored, std::vector<std::string>& left_out) {
  std::map<std::string, std::vector<int>> newest;  // version, by method
  for (const Result& result : stored.results)
    if (result.done()) {
      std::vector<int>& version = newest[result.task.method];
      version = std::max(version, numbers_of(result.version));
    }
  keep(
      stored,
      [&](const Result& result) {
        return numbers_of(result.version) == newest[result.task.method];
      },
      "results of an older version than others of their method", left_out);
  const auto data = latest_by(stored.results, data_of);
  keep(
      stored,
      [&](const Result& result) {
        const Result& last = *data.at(data_of(result));
        return shape_of(result) == shape_of(last) &&
               !differ(result.fingerprints.data, last.fingerprints.data);
      },
      "results on other data of the same name than the latest ones", left_out);
  const auto methods = latest_by(stored.results, method_of);
  keep(
      stored,
      [&](const Result& result) {
        return !differ(result.fingerprints.method,
                       methods.at(method_of(result))->fingerprints.method);
      },
      "results of a method that has changed since", left_out);
  return stored;
}

}  // namespace sieve
