#include <map>
#include <optional>

#include "claims/answered_lines.h"
#include "labelsieve/pipeline.h"

namespace sieve {
namespace {

const ColumnNames kValueNames = {"true", "truth", "value", "gold", "decision", "answer"};

// Nothing where an audit's list has no answer, or "cannot tell".
std::optional<bool> decided(const AnsweredLine& line, bool of_audit) {
  const AuditAnswer answer = answer_in(line);
  if (answer == AuditAnswer::Right || answer == AuditAnswer::Wrong)
    return answer == AuditAnswer::Right;
  if (of_audit) return std::nullopt;
  throw Error(Failure::Data, "'" + line.answer + "' is not a decision", line.place,
              "write 1 where the label is right and 0 where it is not");
}

}  // namespace

// Of an audit, second answers only measure reviewers, and third ones settle.
std::vector<GoldCell> read_gold(const std::string& path, const Dataset& data) {
  AnsweredLines lines(path, kValueNames, FileSystem::real());
  const CellNames names(data);
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> cells, settled;
  AnsweredLine line;
  while (lines.next(line)) {
    if (lines.of_audit() && line.pass == "2") continue;
    const auto at = std::pair(static_cast<std::uint32_t>(names.row(line)),
                              static_cast<std::uint32_t>(names.label(line)));
    const std::optional<bool> on = decided(line, lines.of_audit());
    if (!on) continue;
    auto& into = lines.of_audit() && line.pass == "3" ? settled : cells;
    if (const auto before = into.emplace(at, *on); before.first->second != *on)
      throw Error(Failure::Data, "this cell is decided twice, in two ways", line.place);
  }
  for (const auto& [at, on] : settled) cells[at] = on;
  std::vector<GoldCell> gold;
  for (const auto& [at, on] : cells) gold.push_back({at.first, at.second, on});
  return gold;
}

}  // namespace sieve
