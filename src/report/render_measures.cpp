#include <cmath>

#include <fmt/format.h>

#include "base/table.h"
#include "report/rendered.h"

namespace sieve {

Rendered render_measures(const std::vector<NamedMeasure>& measures) {
  TextTable table({"measure", "", "value", "used", "skipped"},
                  {Align::Left, Align::Left, Align::Right, Align::Right, Align::Right});
  Json::Members values;
  for (const auto& [metric, result] : measures) {
    const bool higher = metric.better == Direction::HigherIsBetter;
    table.add({metric.title, higher ? "↑" : "↓",
               std::isnan(result.value) ? "-" : fmt::format("{:.6f}", result.value),
               std::to_string(result.used), std::to_string(result.skipped)});
    values.emplace_back(metric.key, Json::object({{"value", result.value},
                                                  {"better", higher ? "higher" : "lower"},
                                                  {"used", result.used},
                                                  {"skipped", result.skipped}}));
  }
  return {table.text(), Json::object(values)};
}

}  // namespace sieve
