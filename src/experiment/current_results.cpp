#include "experiment/current_results.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace sieve {
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
