#include "claims/golden.h"

#include <algorithm>
#include <sstream>

#include "support/places.h"
#include "support/support.h"

namespace sieve::test {
namespace {

std::string folder() {
  return tests_folder() + "/fixtures/audit/";
}

}  // namespace

std::vector<Line> golden_lines(const std::string& name) {
  std::istringstream text(read_file(folder() + name));
  std::vector<Line> lines;
  for (std::string line; std::getline(text, line);) {
    Line cells(1);
    for (const char c : line)
      if (c == ',')
        cells.emplace_back();
      else if (c != '\r')
        cells.back() += c;
    lines.push_back(std::move(cells));
  }
  lines.erase(lines.begin());
  return lines;
}

nlohmann::json golden_json(const std::string& name) {
  return nlohmann::json::parse(read_file(folder() + name));
}

Population golden_population(const std::string& name) {
  Population population;
  for (const Line& line : golden_lines(name + "_population.csv")) {
    const auto label = static_cast<std::uint32_t>(std::stoul(line[1]));
    population.cells.push_back({std::stoull(line[0]), label, std::stod(line[2])});
    population.truth.push_back(line[3] == "1");
    population.strata.push_back(static_cast<std::uint32_t>(std::stoul(line[4])));
    population.labels = std::max<std::size_t>(population.labels, label + 1);
  }
  return population;
}

bool Population::truth_of(std::uint64_t cell) const {
  const auto found = std::ranges::find(cells, cell, &AuditCell::id);
  return truth[static_cast<std::size_t>(found - cells.begin())];
}

}  // namespace sieve::test
