// Exports of MTurk and CrowdFlower (Appen).
#include <algorithm>

#include "data/csv/csv_columns.h"
#include "data/text/text_lines.h"
#include "data/ticks/label_lists.h"
#include "data/ticks/layouts.h"

namespace sieve {
namespace {

constexpr std::string_view kInput = "Input.", kAnswer = "Answer.";

// The one column of the input that is named as an id, else the HIT.
std::size_t mturk_item(const TickFile& file) {
  const std::vector<std::size_t> ids = columns_where(file.records, [](std::string_view name) {
    return name.starts_with(kInput) && id_name(name.substr(kInput.size())) == IdName::Yes;
  });
  if (!file.options.item.empty() || ids.size() != 1)
    return need_column(file.records, file.options.item, {"hitid"}, "items", file.path);
  file.sink.note("items are named by '" + file.records.names()[ids.front()] + "'");
  return ids.front();
}

// The one answer, or the first that lists labels.
std::size_t mturk_label(const TickFile& file) {
  if (!file.options.label.empty())
    return find_column(file.records, file.options.label, {}, file.path);
  const std::vector<std::size_t> answers =
      columns_where(file.records, [](std::string_view name) { return name.starts_with(kAnswer); });
  if (answers.size() == 1) return answers.front();
  const auto lists_labels = [&](std::size_t column) {
    const std::vector<std::string> cells = sample_of(file.records, column);
    return LabelCutter("", cells).separator() == "|" ||
           std::ranges::any_of(cells,
                               [](const std::string& cell) { return cell.starts_with("[\""); });
  };
  for (const std::size_t column : answers)
    if (lists_labels(column)) {
      file.sink.note("labels are those in '" + file.records.names()[column] + "'");
      return column;
    }
  refuse_columns(file.records, "labels", file.path);
}

}  // namespace

bool looks_like_mturk(const TickRecords& records) {
  return has_columns(records, {"HITId", "AssignmentId", "WorkerId"});
}

void read_mturk(const TickFile& file) {
  TickRecords& records = file.records;
  const std::size_t status = records.column("AssignmentStatus"), reject = records.column("Reject");
  const JudgementColumns columns = {
      mturk_item(file),
      need_column(records, file.options.person, {"workerid"}, "people", file.path),
      mturk_label(file)};
  read_judgements(file, columns, [&] {
    return same_word(records.cell(status), "Rejected") || !records.cell(reject).empty();
  });
}

bool looks_like_crowdflower(const TickRecords& records) {
  return has_columns(records, {"_unit_id", "_worker_id"});
}

void read_crowdflower(const TickFile& file) {
  TickRecords& records = file.records;
  std::size_t label = find_column(records, file.options.label, {}, file.path);
  const auto lists_labels = [&](std::size_t column) {
    return !records.names()[column].starts_with('_') &&
           (sample_is(records, column, is_bracketed) ||
            LabelCutter("", sample_of(records, column)).separator() == "\n");
  };
  for (std::size_t i = 0; i < records.names().size() && label == TickRecords::npos; ++i)
    if (lists_labels(i)) {
      label = i;
      file.sink.note("labels are those in '" + records.names()[i] + "'");
    }
  if (label == TickRecords::npos) refuse_columns(records, "labels", file.path);
  const std::size_t tainted = records.column("_tainted");
  const JudgementColumns columns = {
      need_column(records, file.options.item, {"unitid"}, "items", file.path),
      need_column(records, file.options.person, {"workerid"}, "people", file.path), label};
  read_judgements(file, columns, [&] { return same_word(records.cell(tainted), "true"); });
}

}  // namespace sieve
