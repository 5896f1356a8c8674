#include "data/ticks/tick_formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "base/nearest.h"
#include "data/text/text_lines.h"
#include "data/ticks/label_lists.h"
#include "data/ticks/layouts.h"
#include "data/ticks/plain_names.h"
#include "labelsieve/words.h"

namespace sieve {

std::string bare_name(std::string_view name) {
  std::string out;
  for (const unsigned char c : name)
    if (std::isalnum(c) != 0 || c >= 0x80) out += static_cast<char>(std::tolower(c));
  return out;
}

const ColumnNames kItemNames = {
    "item",       "itemid",   "task",      "taskid", "unit",     "unitid", "instance",
    "instanceid", "example",  "exampleid", "object", "objectid", "id",     "rowid",
    "docid",      "document", "imageid",   "image",  "photoid",  "photo",  "picture",
    "filename",   "file",     "textid",    "key",    "row"};
const ColumnNames kPlainPersonNames = {
    "annotator", "annotatorid", "worker",      "workerid",  "performer",  "performerid",
    "rater",     "raterid",     "labeler",     "labeller",  "coder",      "coderid",
    "judge",     "judgeid",     "labelerid",   "reader",    "readerid",   "labellerid",
    "ratedby",   "codedby",     "annotatedby", "labeledby", "labelledby", "completedby"};
const ColumnNames kPersonNames = [] {
  ColumnNames names = kPlainPersonNames;
  for (const std::string_view name : {"person", "personid", "user", "userid", "username", "email",
                                      "assignedto", "createdby", "reviewer", "reviewerid"})
    names.push_back(name);
  return names;
}();
const ColumnNames kLabelNames = {"label",    "labels",     "tick",    "ticks",   "answer",
                                 "answers",  "choice",     "choices", "tag",     "tags",
                                 "category", "categories", "class",   "classes", "response"};

const ColumnNames kTimeNames = {"submittime", "submittedat", "updatedat",   "timestamp",
                                "time",       "datetime",    "createdat",   "annotatedat",
                                "answeredat", "completedat", "submittedon", "date"};
const ColumnNames kRecordNames = {"assignmentid", "annotationid", "submissionid", "judgmentid",
                                  "judgementid",  "responseid",   "recordid"};

const ColumnNames kRepeatingNames = {
    "batch", "channel", "city",    "comment", "comments", "country", "gender", "lang",   "language",
    "note",  "notes",   "project", "region",  "status",   "tool",    "type",   "version"};

const std::vector<TickFormat>& all_tick_formats() {
  static const std::vector<TickFormat> table = {
      {"mturk", looks_like_mturk, read_mturk},
      {"crowdflower", looks_like_crowdflower, read_crowdflower},
      {"label-studio", looks_like_label_studio, read_label_studio},
      {"label-studio-min", looks_like_label_studio_min, read_label_studio_min},
      {"prodigy", looks_like_prodigy, read_prodigy},
      {"argilla", looks_like_argilla, read_argilla},
      {"cekaplus", looks_like_cekaplus, read_cekaplus},
      {"long", looks_like_long, read_long},
      {"wide", looks_like_wide, read_wide},
      {"doccano", looks_like_doccano, read_doccano},
  };
  return table;
}

std::vector<std::string> tick_format_names() {
  return names_of(all_tick_formats());
}

const TickFormat& tick_format_of(const TickRecords& records, const TickOptions& options,
                                 const std::string& path) {
  if (!options.format.empty())
    return row_named(all_tick_formats(), options.format, "layout of ticks");
  for (const TickFormat& format : all_tick_formats())
    if (format.looks_like(records)) return format;
  // Whoever names columns has a long table, and so has who names annotators and labels.
  const auto is_there = [&](const ColumnNames& names) {
    return find_column(records, {}, names, path) != TickRecords::npos;
  };
  if (!options.item.empty() || !options.person.empty() || !options.label.empty() ||
      (!records.is_json() && is_there(kPersonNames) && is_there(kLabelNames)))
    return row_named(all_tick_formats(), "long", "layout of ticks");
  refuse_unnamed_numbers(records);
  refuse_columns(records, "item, the person and the labels of a judgement", path);
}

std::size_t find_column(const TickRecords& records, const std::string& asked_for,
                        const ColumnNames& names, const std::string& path) {
  if (!asked_for.empty()) {
    const std::size_t column = records.column(asked_for);
    if (column == TickRecords::npos && asked_for == kNoColumn) return column;
    if (column == TickRecords::npos)
      throw Error(Failure::Usage, "the ticks have no column '" + asked_for + "'", {path, 0, 0},
                  did_you_mean(asked_for, records.names(),
                               fmt::format("they have {}", fmt::join(records.names(), ", "))));
    return column;
  }
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < records.names().size(); ++i)
      if (bare_name(records.names()[i]) == name) return i;
  return TickRecords::npos;
}

std::size_t need_column(const TickRecords& records, const std::string& asked_for,
                        const ColumnNames& names, const std::string& what,
                        const std::string& path) {
  const std::size_t column = find_column(records, asked_for, names, path);
  if (column == TickRecords::npos) refuse_columns(records, what, path);
  return column;
}

void refuse_columns(const TickRecords& records, const std::string& what, const std::string& path) {
  constexpr std::size_t kShown = 20;
  const auto& names = records.names();
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
  throw Error(
      Failure::Data,
      fmt::format("cannot tell which column of the ticks has the {} (columns: {}{})", what,
                  fmt::join(names.begin(), end, ", "), names.size() > kShown ? ", ..." : ""),
      {path, 0, 0},
      fmt::format("name them with {}, {} and {}", term("ticks.item"), term("ticks.person"),
                  term("ticks.label")));
}

std::vector<std::string> sample_of(const TickRecords& records, std::size_t column) {
  std::vector<std::string> cells;
  for (const std::vector<std::string>& record : records.sample())
    if (column < record.size()) cells.push_back(record[column]);
  return cells;
}

bool sample_is(const TickRecords& records, std::size_t column,
               const std::function<bool(std::string_view)>& test) {
  bool any = false;
  for (const std::string& cell : sample_of(records, column)) {
    if (cell.empty()) continue;
    if (!test(cell)) return false;
    any = true;
  }
  return any;
}

bool any_repeats(const std::vector<std::string>& cells) {
  std::set<std::string_view> seen;
  return std::ranges::any_of(
      cells, [&](const std::string& cell) { return !cell.empty() && !seen.insert(cell).second; });
}

bool has_columns(const TickRecords& records, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(
      names, [&](std::string_view name) { return records.column(name) != TickRecords::npos; });
}

std::vector<std::size_t> columns_where(const TickRecords& records,
                                       const std::function<bool(std::string_view)>& test) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < records.names().size(); ++i)
    if (test(records.names()[i])) columns.push_back(i);
  return columns;
}

bool is_side_column(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "approved",   "agreement",    "channel",
      "confidence", "count",        "createdat",
      "duration",   "fold",         "gold",
      "golden",     "index",        "isduplicate",
      "isgold",     "isgolden",     "istest",
      "istrain",    "labelcount",   "leadtime",
      "missed",     "rejected",     "score",
      "skipped",    "split",        "tainted",
      "time",       "timestamp",    "trust",
      "updatedat",  "wascancelled", "worktime",
      "isrejected", "istainted",    "exampleveryunclear"};
  const auto is_count = [&](std::string_view start) {
    return name.size() > start.size() && same_word(name.substr(0, start.size()), start);
  };
  return kNames.contains(bare_name(name)) || is_count("n_") || is_count("num_");
}

bool is_yes(std::string_view cell) {
  constexpr std::array<std::string_view, 5> kWords = {"1", "true", "yes", "t", "y"};
  cell = trimmed(cell);
  return std::ranges::any_of(kWords, [&](std::string_view word) { return same_word(cell, word); });
}

bool is_bit(std::string_view cell) {
  return cell == "0" || cell == "1" || same_word(cell, "true") || same_word(cell, "false");
}

void tick_label_columns(const TickFile& file, const std::vector<LabelColumn>& labels) {
  for (const auto& [column, label] : labels) {
    const std::string_view cell = file.records.cell(column);
    if (!is_bit(cell) && !cell.empty())
      throw Error(Failure::Data,
                  "'" + std::string(cell.substr(0, 40)) + "' in the label column '" +
                      file.records.names()[column] + "'",
                  file.records.place(),
                  "a column per label holds 0 and 1; choose others with " + term("ticks.label"));
    if (is_yes(cell)) file.sink.tick(label);
  }
}

SubmissionColumns::SubmissionColumns(const TickFile& file)
    : file_(file),
      time_(find_column(file.records, {}, kTimeNames, file.path)),
      record_(find_column(file.records, {}, kRecordNames, file.path)) {
  if (time_ != TickRecords::npos) time_name_ = file.records.names()[time_];
}

void SubmissionColumns::tell() const {
  if (time_ != TickRecords::npos) file_.sink.time(file_.records.cell(time_), time_name_);
  if (record_ != TickRecords::npos) file_.sink.record(file_.records.cell(record_));
}

void for_annotations(const TickFile& file, std::size_t item, std::size_t person,
                     const std::function<bool()>& is_rejected,
                     const std::function<void(const Place&)>& take,
                     const std::function<bool()>& is_there) {
  TickRecords& records = file.records;
  const SubmissionColumns submission(file);
  while (records.next()) {
    if (is_rejected && !file.options.all_people && is_rejected()) {
      file.sink.leave_out();
      continue;
    }
    if (is_there && !is_there()) continue;
    const Place place = records.place();
    file.sink.look(
        records.cell(item),
        person == TickRecords::npos ? std::string_view(file.person) : records.cell(person), place);
    submission.tell();
    take(place);
  }
}

void read_judgements(const TickFile& file, const JudgementColumns& columns,
                     const std::function<bool()>& is_rejected) {
  TickRecords& records = file.records;
  LabelCutter cutter({}, {});
  if (columns.lists_are_paths) cutter.allow_paths();
  const std::string label_column = records.names()[columns.label];
  std::optional<bool> ticked = true;
  const auto is_answered = [&] {
    if (columns.vote) ticked = columns.vote();
    return ticked.has_value();
  };
  const auto take = [&](const Place& place) {
    if (!*ticked) return;
    const std::string_view cell = plain_name(records.cell(columns.label));
    const bool is_list = LabelCutter::is_list(cell);
    if (is_list && cell != "[]") file.sink.has_lists();
    if (columns.texts_are_lists && !is_list)
      file.sink.text(cell, label_column);
    else
      cutter.cut(cell, place, [&](std::string_view label) { file.sink.tick(label); });
  };
  for_annotations(file, columns.item, columns.person, is_rejected, take, is_answered);
}

}  // namespace sieve
