#include "metric_checks.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "base/nearest.h"
#include "base/parse_number.h"

namespace sieve {
namespace {

std::vector<Bound> bounds_of_flag(const Arguments& arguments, const std::string& flag) {
  std::vector<Bound> bounds;
  for (const std::string& item : arguments.list(flag)) {
    const std::size_t equals = item.find('=');
    const std::optional<double> value =
        equals == std::string::npos ? std::nullopt : parse_number<double>(item.substr(equals + 1));
    if (!value)
      throw usage_error(fmt::format("--{}: '{}' is not measure=number", flag, item),
                        fmt::format("e.g. --{} micro-f1=0.5", flag));
    bounds.push_back({item.substr(0, equals), *value, flag == "fail-below"});
    require_metric(bounds.back().metric);
  }
  return bounds;
}

}  // namespace

void require_metric(const std::string& key) {
  const std::vector<std::string> keys = names_of(all_metrics(), &MetricInfo::key);
  if (std::ranges::find(keys, key) == keys.end())
    throw usage_error("there is no measure '" + key + "'",
                      did_you_mean(key, keys, "the measures are: " + joined(keys, ", ")));
}

std::vector<Bound> bounds_of(const Arguments& arguments) {
  std::vector<Bound> bounds = bounds_of_flag(arguments, "fail-below");
  for (Bound& bound : bounds_of_flag(arguments, "fail-above")) bounds.push_back(std::move(bound));
  return bounds;
}

std::vector<std::string> failed_checks(const std::vector<NamedMeasure>& measures,
                                       const std::vector<Bound>& bounds) {
  std::vector<std::string> failed;
  for (const Bound& bound : bounds) {
    const auto found = std::ranges::find_if(
        measures, [&](const NamedMeasure& one) { return one.metric.key == bound.metric; });
    if (found == measures.end())
      throw usage_error("the measure '" + bound.metric + "' to check was not computed");
    const double value = found->result.value;
    // Not a number passes no check.
    if (bound.lower ? value >= bound.value : value <= bound.value) continue;
    failed.push_back(fmt::format("check failed: {} is {:.6f}, {} {}", bound.metric, value,
                                 bound.lower ? "below" : "above", bound.value));
  }
  return failed;
}

}  // namespace sieve
