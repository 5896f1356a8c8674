#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/nearest.h"
#include "data/annotations/annotation_formats.h"
#include "data/text/text_lines.h"
#include "labelsieve/pipeline.h"

namespace sieve {
namespace {

const ColumnNames kValueNames = {"true", "truth", "value", "gold", "decision", "answer"};

// Rows by id, or by number where there are no ids.
std::unordered_map<std::string, std::uint32_t> rows_by_name(const Dataset& data) {
  std::unordered_map<std::string, std::uint32_t> rows;
  for (std::size_t i = 0; i < data.rows(); ++i)
    rows.emplace(data.ids.empty() ? std::to_string(i) : data.ids[i], static_cast<std::uint32_t>(i));
  return rows;
}

// Nothing where an audit's list has no answer, or "cannot tell".
std::optional<bool> decided(std::string_view cell, const Place& place, bool of_audit) {
  if (of_audit &&
      (cell.empty() || cell == "?" || same_word(cell, "unsure") || same_word(cell, "cannot tell")))
    return std::nullopt;
  for (const char* on : {"1", "true", "yes"})
    if (same_word(cell, on)) return true;
  for (const char* off : {"0", "false", "no"})
    if (same_word(cell, off)) return false;
  throw Error(Failure::Data, "'" + std::string(cell) + "' is not a decision", place,
              "write 1 where the label is right and 0 where it is not");
}

}  // namespace

std::vector<GoldCell> read_gold(const std::string& path, const Dataset& data) {
  AnnotationRecords records(open_unpacked(FileSystem::real(), path), path);
  const std::size_t item = need_column(records, {}, kItemNames, "rows", path);
  const std::size_t label = need_column(records, {}, kLabelNames, "labels", path);
  const std::size_t value = need_column(records, {}, kValueNames, "decisions", path);
  // The answered list of an audit: its second answers only measure reviewers, third ones settle.
  const std::size_t pass = records.column("pass");
  const bool of_audit = records.column("audit") != AnnotationRecords::npos;
  const auto rows = rows_by_name(data);
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> cells, settled;
  while (records.next()) {
    const bool again = of_audit && pass != AnnotationRecords::npos;
    if (again && records.cell(pass) == "2") continue;
    const auto row = rows.find(std::string(records.cell(item)));
    if (row == rows.end())
      throw Error(Failure::Data, "there is no row '" + std::string(records.cell(item)) + "'",
                  records.place(), "gold cells name rows of the data by id");
    const std::string name(records.cell(label));
    const auto found = std::ranges::find(data.label_names, name);
    if (found == data.label_names.end())
      throw Error(Failure::Data, "there is no label '" + name + "'", records.place(),
                  did_you_mean(name, data.label_names, "gold cells name labels of the data"));
    const std::optional<bool> on = decided(records.cell(value), records.place(), of_audit);
    if (!on) continue;
    const auto at =
        std::pair(row->second, static_cast<std::uint32_t>(found - data.label_names.begin()));
    auto& into = again && records.cell(pass) == "3" ? settled : cells;
    if (const auto before = into.emplace(at, *on); before.first->second != *on)
      throw Error(Failure::Data, "this cell is decided twice, in two ways", records.place());
  }
  for (const auto& [at, on] : settled) cells[at] = on;
  std::vector<GoldCell> gold;
  for (const auto& [at, on] : cells) gold.push_back({at.first, at.second, on});
  return gold;
}

}  // namespace sieve
