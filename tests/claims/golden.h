#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "labelsieve/claims.h"

// Results that an independent implementation worked out (tests/fixtures/audit/README.md).
namespace sieve::test {

inline constexpr double kGolden = 2e-6;

using Line = std::vector<std::string>;

// The lines of a CSV file of the fixtures, cut at commas, without the first.
std::vector<Line> golden_lines(const std::string& name);
nlohmann::json golden_json(const std::string& name);

struct Population {
  std::vector<AuditCell> cells{};
  std::vector<bool> truth{};
  std::vector<std::uint32_t> strata{};  // as expected
  std::size_t labels = 0;
  bool truth_of(std::uint64_t cell) const;
};
Population golden_population(const std::string& name);

}  // namespace sieve::test
