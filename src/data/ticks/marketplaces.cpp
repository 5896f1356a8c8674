// Exports of MTurk and CrowdFlower (Appen).
#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "data/csv/csv_cells.h"
#include "data/csv/csv_columns.h"
#include "data/text/text_lines.h"
#include "data/ticks/label_lists.h"
#include "data/ticks/layouts.h"
#include "data/ticks/task_answers.h"

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

constexpr std::string_view kOn = ".on", kTaskAnswers = "Answer.taskAnswers";

bool is_true_or_false(std::string_view cell) {
  return same_word(cell, "true") || same_word(cell, "false");
}

// What an answer that is on or off belongs to: "" for the check box "Answer.sea.on", "mood" for the
// button "Answer.mood.happy".
std::string_view group_of(std::string_view name) {
  name.remove_prefix(kAnswer.size());
  const std::size_t dot = name.rfind('.');
  return name.ends_with(kOn) || dot == name.npos ? std::string_view() : name.substr(0, dot);
}

std::string label_of(std::string_view name, bool several_groups) {
  const std::string_view group = group_of(name);
  name.remove_prefix(kAnswer.size());
  if (name.ends_with(kOn)) name.remove_suffix(kOn.size());
  if (group.empty()) return std::string(name);
  name.remove_prefix(group.size() + 1);
  return several_groups ? fmt::format("{}/{}", group, name) : std::string(name);
}

std::vector<std::size_t> answers_of(const TickRecords& records) {
  return columns_where(records, [](std::string_view name) { return name.starts_with(kAnswer); });
}

bool is_on_or_off(const TickRecords& records, std::size_t answer) {
  return records.names()[answer].ends_with(kOn) || sample_is(records, answer, is_true_or_false);
}

// The columns that the user has named, with commas between them; none if one of them is no answer
// that is on or off.
std::vector<std::size_t> named_on_or_off(const TickFile& file) {
  std::vector<std::size_t> named;
  for (const std::string& name : cells_of(file.options.label, 1, ',', file.path)) {
    named.push_back(file.records.column(name));
    if (named.back() == TickRecords::npos || !name.starts_with(kAnswer) ||
        !is_on_or_off(file.records, named.back()))
      return {};
  }
  return named;
}

bool lists_labels(const TickRecords& records, std::size_t column) {
  const std::vector<std::string> cells = sample_of(records, column);
  return LabelCutter("", cells).separator() == "|" ||
         std::ranges::any_of(cells,
                             [](const std::string& cell) { return cell.starts_with("[\""); });
}

// The one answer, or the first that lists labels.
std::size_t mturk_label(const TickFile& file) {
  if (!file.options.label.empty())
    return find_column(file.records, file.options.label, {}, file.path);
  const std::vector<std::size_t> answers = answers_of(file.records);
  if (answers.size() == 1) return answers.front();
  for (const std::size_t column : answers)
    if (lists_labels(file.records, column)) {
      file.sink.note("labels are those in '" + file.records.names()[column] + "'");
      return column;
    }
  refuse_columns(file.records, "labels", file.path);
}

// The answers that are on or off, if no other has labels; none if an older layout is plain. Refused
// where that is in doubt.
std::vector<std::size_t> found_on_or_off(const TickFile& file) {
  const TickRecords& records = file.records;
  std::vector<std::size_t> found, others;
  for (const std::size_t k : answers_of(records))
    (is_on_or_off(records, k) ? found : others).push_back(k);
  const bool boxes =
      std::ranges::any_of(found, [&](std::size_t k) { return records.names()[k].ends_with(kOn); });
  const auto lists = [&](std::size_t k) { return lists_labels(records, k); };
  const auto may_have_labels = [&](std::size_t k) { return any_repeats(sample_of(records, k)); };
  if (found.empty() || (!boxes && std::ranges::any_of(others, lists))) return {};
  std::set<std::string_view> groups;
  for (const std::size_t k : found) groups.insert(group_of(records.names()[k]));
  if (groups.size() > 1 || std::ranges::any_of(others, lists) ||
      std::ranges::any_of(others, may_have_labels))
    refuse_columns(records, "labels", file.path);
  return found;
}

std::vector<LabelColumn> mturk_label_columns(const TickFile& file) {
  const TickRecords& records = file.records;
  const std::vector<std::size_t> columns =
      file.options.label.empty() ? found_on_or_off(file) : named_on_or_off(file);
  std::set<std::string_view> groups;
  for (const std::size_t k : columns) groups.insert(group_of(records.names()[k]));
  std::vector<LabelColumn> labels;
  for (const std::size_t k : columns)
    labels.push_back({k, label_of(records.names()[k], groups.size() > 1)});
  return labels;
}

// What takes the labels out of a record.
std::function<void(const Place&)> mturk_labels(const TickFile& file) {
  const TickRecords& records = file.records;
  const std::size_t json = records.column(kTaskAnswers);
  const std::string& asked_for = file.options.label;
  const bool whole = asked_for.empty() || asked_for == kTaskAnswers;
  if (json != TickRecords::npos && (whole || records.column(asked_for) == TickRecords::npos))
    return
        [&file, json, answers = std::make_shared<TaskAnswers>(file, json, whole ? "" : asked_for)](
            const Place& place) {
          answers->cut(file.records.cell(json), place,
                       [&](std::string_view label) { file.sink.tick(label); });
        };
  std::vector<LabelColumn> columns = mturk_label_columns(file);
  if (columns.empty()) return nullptr;
  file.sink.note(fmt::format("{} answers that are true or false are labels, from '{}' to '{}'",
                             columns.size(), columns.front().label, columns.back().label));
  return [&file, columns = std::move(columns)](const Place&) { tick_label_columns(file, columns); };
}

}  // namespace

bool looks_like_mturk(const TickRecords& records) {
  return has_columns(records, {"HITId", "AssignmentId", "WorkerId"});
}

void read_mturk(const TickFile& file) {
  file.sink.comes_from_a_marketplace();
  TickRecords& records = file.records;
  const std::size_t status = records.column("AssignmentStatus"), reject = records.column("Reject");
  const auto is_rejected = [&] {
    return same_word(records.cell(status), "Rejected") || !records.cell(reject).empty();
  };
  const std::size_t item = mturk_item(file);
  const std::size_t person =
      need_column(records, file.options.person, {"workerid"}, "people", file.path);
  if (const std::function<void(const Place&)> take = mturk_labels(file))
    for_annotations(file, item, person, is_rejected, take);
  else
    read_judgements(file, {item, person, mturk_label(file)}, is_rejected);
}

bool looks_like_crowdflower(const TickRecords& records) {
  return has_columns(records, {"_unit_id", "_worker_id"});
}

namespace {

// The answers of test questions, and what the platform adds to a question or a judgement.
bool is_crowdflower_side_column(std::string_view name) {
  constexpr std::array<std::string_view, 4> kEndings = {"_gold", "_gold_reason", ":confidence",
                                                        ":variance"};
  return name.starts_with('_') || is_side_column(name) ||
         std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

// What the first cells of a column list, in whatever order and form.
std::vector<std::set<std::string>> lists_in(const TickFile& file, std::size_t column) {
  const std::vector<std::string> cells = sample_of(file.records, column);
  LabelCutter cutter(file.options.separator, cells);
  std::vector<std::set<std::string>> lists;
  for (const std::string& cell : cells) {
    std::set<std::string>& list = lists.emplace_back();
    cutter.cut(cell, {file.path, 0, 0}, [&](std::string_view label) { list.emplace(label); });
  }
  return lists;
}

// The one column with lists of labels; of several, the first if the others say the same.
std::size_t crowdflower_label(const TickFile& file) {
  const TickRecords& records = file.records;
  if (!file.options.label.empty()) return find_column(records, file.options.label, {}, file.path);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < records.names().size(); ++i)
    if (!is_crowdflower_side_column(records.names()[i]) &&
        (sample_is(records, i, is_bracketed) ||
         LabelCutter("", sample_of(records, i)).separator() == "\n"))
      found.push_back(i);
  const auto says_other = [&](std::size_t i) {
    return lists_in(file, i) != lists_in(file, found.front());
  };
  if (found.empty() || std::ranges::any_of(found, says_other))
    refuse_columns(records, "labels", file.path);
  file.sink.note("labels are those in '" + records.names()[found.front()] + "'");
  return found.front();
}

}  // namespace

void read_crowdflower(const TickFile& file) {
  file.sink.comes_from_a_marketplace();
  TickRecords& records = file.records;
  const std::size_t tainted = records.column("_tainted");
  const JudgementColumns columns = {
      need_column(records, file.options.item, {"unitid"}, "items", file.path),
      need_column(records, file.options.person, {"workerid"}, "people", file.path),
      crowdflower_label(file)};
  read_judgements(file, columns, [&] { return is_yes(records.cell(tainted)); });
}

}  // namespace sieve
