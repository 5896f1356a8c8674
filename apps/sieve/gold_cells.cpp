#include "gold_cells.h"

#include <filesystem>
#include <fstream>
#include <map>

#include "labelsieve/review.h"

namespace sieve {

const char* const kAuditAnew =
    "labels that were corrected by decided cells need a new audit: these cells do not measure them";

#ifdef LABELSIEVE_WEB
namespace {

bool is_decision_file(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  constexpr std::string_view kMagic = "SQLite format 3";
  std::string begin(kMagic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<long>(begin.size()));
  return begin == kMagic;
}

// First answers, and in their place third ones, which settle what two people saw differently.
std::vector<GoldCell> audited_cells(const std::string& path, const Dataset& data) {
  std::map<std::pair<std::size_t, std::size_t>, bool> first, third;
  for (const AuditOnPage::Answer& one : read_audit(path, data).answers)
    if (one.pass != 2 && one.answer != AuditAnswer::Unsure)
      (one.pass == 3 ? third : first)[{one.row, one.label}] = one.answer == AuditAnswer::Right;
  for (const auto& [at, on] : third) first[at] = on;
  std::vector<GoldCell> cells;
  for (const auto& [at, on] : first)
    cells.push_back(
        {static_cast<std::uint32_t>(at.first), static_cast<std::uint32_t>(at.second), on});
  return cells;
}

}  // namespace
#endif

std::vector<GoldCell> gold_cells(const Arguments& arguments, const Dataset& data) {
  const std::string& path = arguments.text("gold");
#ifdef LABELSIEVE_WEB
  if (is_decision_file(path)) return audited_cells(path, data);
#endif
  return read_gold(path, data);
}

}  // namespace sieve
