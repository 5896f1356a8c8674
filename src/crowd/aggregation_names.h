#pragma once

#include <string>
#include <utility>
#include <vector>

#include "labelsieve/crowd.h"

namespace sieve {

// Ways to combine votes by name; the first is the default.
inline const std::vector<std::pair<std::string, Aggregation>>& aggregations() {
  static const std::vector<std::pair<std::string, Aggregation>> all = {
      {"annotators", Aggregation::CrowdModel},
      {"dawid-skene", Aggregation::TwoCoins},
      {"one-coin", Aggregation::OneCoin},
      {"majority", Aggregation::Majority},
      {"at-least", Aggregation::AtLeast},
      {"share", Aggregation::Share},
      {"union", Aggregation::Union},
      {"people", Aggregation::CrowdModel}};  // the earlier name
  return all;
}

}  // namespace sieve
