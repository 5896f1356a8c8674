#include "data/annotations/annotation_formats.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "base/named_rows.h"
#include "data/annotations/item_column.h"
#include "data/annotations/label_lists.h"
#include "data/annotations/layouts.h"
#include "data/annotations/plain_names.h"
#include "data/text/text_lines.h"
#include "labelsieve/options.h"

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
const ColumnNames kPlainAnnotatorNames = {
    "annotator", "annotatorid", "worker",      "workerid",  "performer",  "performerid",
    "rater",     "raterid",     "labeler",     "labeller",  "coder",      "coderid",
    "judge",     "judgeid",     "labelerid",   "reader",    "readerid",   "labellerid",
    "ratedby",   "codedby",     "annotatedby", "labeledby", "labelledby", "completedby"};
const ColumnNames kAnnotatorNames = [] {
  ColumnNames names = kPlainAnnotatorNames;
  for (const std::string_view name :
       {"person", "personid", "user", "userid", "username", "email", "emailaddress", "assignedto",
        "createdby", "reviewer", "reviewerid"})
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

const std::vector<AnnotationFormat>& all_annotation_formats() {
  static const std::vector<AnnotationFormat> table = {
      {"mturk", looks_like_mturk, read_mturk},
      {"crowdflower", looks_like_crowdflower, read_crowdflower},
      {"label-studio", looks_like_label_studio, read_label_studio},
      {"label-studio-min", looks_like_label_studio_min, read_label_studio_min},
      {"prodigy", looks_like_prodigy, read_prodigy},
      {"argilla", looks_like_argilla, read_argilla},
      {"argilla-records", looks_like_argilla_records, read_argilla_records},
      {"cekaplus", looks_like_cekaplus, read_cekaplus},
      {"raters", looks_like_raters, read_raters},
      {"long", looks_like_long, read_long},
      {"wide", looks_like_wide, read_wide},
      {"doccano", looks_like_doccano, read_doccano},
  };
  return table;
}

std::vector<std::string> annotation_format_names() {
  return names_of(all_annotation_formats());
}

AnnotationLayout annotation_layout_of(const AnnotationRecords& records,
                                      const AnnotationOptions& options, const std::string& path) {
  const auto named = [](const std::string& name) -> const AnnotationFormat& {
    return row_named(all_annotation_formats(), name, "layout of annotations");
  };
  if (!options.format.empty()) return {named(options.format), options, {}};
  for (const AnnotationFormat& format : all_annotation_formats())
    if (format.looks_like(records)) return {format, options, {}};
  const auto is_there = [&](const std::string& given, const ColumnNames& names) {
    return find_column(records, given, names, path) != AnnotationRecords::npos;
  };
  const bool has_label = is_there(options.label, kLabelNames);
  // Whoever names the column of labels has a long table, and so has who names it beside another.
  if (!options.label.empty() ||
      (!records.is_json() && has_label &&
       (is_there(options.annotator, kAnnotatorNames) || !item_candidates(records, {}).empty())))
    return {named("long"), options, {}};
  if (const auto guess = has_label ? std::nullopt : guess_layout(records, options, path)) {
    AnnotationOptions with_guess = options;
    if (guess->label.empty()) return {named(guess->format), options, {}};
    with_guess.label = guess->label;
    return {named(guess->format), with_guess,
            fmt::format("labels are those in '{}': its texts repeat, and no other column is left "
                        "({} chooses another)",
                        guess->label, term("ticks.label"))};
  }
  if (!options.item.empty() || !options.annotator.empty()) return {named("long"), options, {}};
  refuse_unnamed_numbers(records);
  refuse_columns(records, "items, the annotators and the labels", path);
}

std::size_t find_column(const AnnotationRecords& records, const std::string& asked_for,
                        const ColumnNames& names, const std::string& path) {
  if (!asked_for.empty()) {
    const std::size_t column = records.column(asked_for);
    if (column == AnnotationRecords::npos && asked_for == kNoColumn) return column;
    if (column == AnnotationRecords::npos)
      throw Error(Failure::Usage, "the annotations have no column '" + asked_for + "'",
                  {path, 0, 0},
                  did_you_mean(asked_for, records.names(),
                               fmt::format("they have {}", fmt::join(records.names(), ", "))));
    return column;
  }
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < records.names().size(); ++i)
      if (bare_name(records.names()[i]) == name) return i;
  return AnnotationRecords::npos;
}

std::size_t need_column(const AnnotationRecords& records, const std::string& asked_for,
                        const ColumnNames& names, const std::string& what,
                        const std::string& path) {
  const std::size_t column = find_column(records, asked_for, names, path);
  if (column == AnnotationRecords::npos) refuse_columns(records, what, path);
  return column;
}

void refuse_columns(const AnnotationRecords& records, const std::string& what,
                    const std::string& path) {
  constexpr std::size_t kShown = 20;
  const auto& names = records.names();
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
  throw Error(
      Failure::Data,
      fmt::format("cannot tell which column of the annotations has the {} (columns: {}{})", what,
                  fmt::join(names.begin(), end, ", "), names.size() > kShown ? ", ..." : ""),
      {path, 0, 0},
      fmt::format("name them with {}, {} and {}", term("ticks.item"), term("ticks.person"),
                  term("ticks.label")));
}

std::size_t tool_item(const AnnotationFile& file) {
  return need_column(file.records, file.options.item,
                     {"itemid", "item", "id", "taskid", "exampleid", "docid", "inputhash",
                      "filename", "image", "text"},
                     "items", file.path);
}

std::vector<std::string> sample_of(const AnnotationRecords& records, std::size_t column) {
  std::vector<std::string> cells;
  for (const std::vector<std::string>& record : records.sample())
    if (column < record.size()) cells.push_back(record[column]);
  return cells;
}

bool sample_is(const AnnotationRecords& records, std::size_t column,
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

bool has_columns(const AnnotationRecords& records, std::initializer_list<std::string_view> names) {
  return std::ranges::all_of(names, [&](std::string_view name) {
    return records.column(name) != AnnotationRecords::npos;
  });
}

std::vector<std::size_t> columns_where(const AnnotationRecords& records,
                                       const std::function<bool(std::string_view)>& test) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < records.names().size(); ++i)
    if (test(records.names()[i])) columns.push_back(i);
  return columns;
}

bool is_side_column(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "approved", "agreement", "channel",   "confidence", "count",        "createdat",
      "duration", "fold",      "gold",      "golden",     "index",        "isduplicate",
      "isgold",   "isgolden",  "istest",    "istrain",    "labelcount",   "leadtime",
      "missed",   "rejected",  "score",     "skipped",    "split",        "tainted",
      "time",     "timestamp", "trust",     "updatedat",  "wascancelled", "worktime",
      "unsure",   "notsure",   "uncertain", "isrejected", "istainted",    "exampleveryunclear"};
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

bool is_unsure_word(std::string_view cell) {
  constexpr std::array<std::string_view, 12> kWords = {
      "unsure",    "notsure",  "hedge",    "hedged", "maybe",   "uncertain",
      "undecided", "dontknow", "canttell", "skip",   "skipped", "ignore"};
  const std::string word = bare_name(trimmed(cell));
  return std::ranges::find(kWords, word) != kWords.end();
}

void annotation_label_columns(const AnnotationFile& file, const std::vector<LabelColumn>& labels,
                              bool may_be_unsure) {
  for (const auto& [column, label] : labels) {
    const std::string_view cell = file.records.cell(column);
    if (may_be_unsure && is_unsure_word(cell)) {
      file.sink.unsure(label);
      continue;
    }
    if (!is_bit(cell) && !cell.empty())
      throw Error(Failure::Data,
                  "'" + std::string(cell.substr(0, 40)) + "' in the label column '" +
                      file.records.names()[column] + "'",
                  file.records.place(),
                  "a column per label holds 0 and 1; choose others with " + term("ticks.label"));
    if (is_yes(cell)) file.sink.tick(label);
  }
}

void use_column(const AnnotationFile& file, std::size_t column, std::string_view role) {
  if (column != AnnotationRecords::npos) file.sink.use(file.records.names()[column], role);
}

SubmissionColumns::SubmissionColumns(const AnnotationFile& file)
    : file_(file),
      time_(find_column(file.records, {}, kTimeNames, file.path)),
      record_(find_column(file.records, {}, kRecordNames, file.path)) {
  if (time_ != AnnotationRecords::npos) time_name_ = file.records.names()[time_];
}

void SubmissionColumns::tell() const {
  if (time_ != AnnotationRecords::npos) file_.sink.time(file_.records.cell(time_), time_name_);
  if (record_ != AnnotationRecords::npos) file_.sink.record(file_.records.cell(record_));
}

void for_annotations(const AnnotationFile& file, std::size_t item, std::size_t annotator,
                     const std::function<bool()>& is_rejected,
                     const std::function<void(const Place&)>& take,
                     const std::function<bool()>& is_there) {
  AnnotationRecords& records = file.records;
  const SubmissionColumns submission(file);
  use_column(file, item, "id");
  use_column(file, annotator, "annotator");
  use_column(file, submission.columns().front(), "date");
  while (records.next()) {
    if (is_rejected && !file.options.all_annotators && is_rejected()) {
      file.sink.leave_out();
      continue;
    }
    if (is_there && !is_there()) continue;
    const Place place = records.place();
    file.sink.annotate(records.cell(item),
                       annotator == AnnotationRecords::npos ? std::string_view(file.annotator)
                                                            : records.cell(annotator),
                       place);
    submission.tell();
    take(place);
  }
}

void read_annotation_lines(const AnnotationFile& file, const AnnotationColumns& columns,
                           const std::function<bool()>& is_rejected) {
  AnnotationRecords& records = file.records;
  LabelCutter cutter({}, {});
  if (columns.lists_are_paths) cutter.allow_paths();
  const std::string label_column = records.names()[columns.label];
  file.sink.use(label_column, "labels");
  std::optional<Answer> answer = Vote::Yes;
  const auto is_answered = [&] {
    if (columns.vote) answer = columns.vote();
    return answer.has_value();
  };
  const auto take = [&](const Place& place) {
    if (columns.also_unsure) columns.also_unsure();
    const auto [vote, grade] = *answer;
    if (vote == Vote::No) return;
    const bool sure = vote == Vote::Yes;
    const std::string_view cell = plain_name(records.cell(columns.label));
    const bool is_list = LabelCutter::is_list(cell);
    if (is_list && cell != "[]") file.sink.has_lists(label_column);
    if (columns.texts_are_lists && !is_list)
      sure ? file.sink.text(cell, label_column, grade) : file.sink.unsure_text(cell, label_column);
    else
      cutter.cut(cell, place, [&, grade = grade](std::string_view label) {
        sure ? file.sink.tick(label, grade) : file.sink.unsure(label);
      });
  };
  for_annotations(file, columns.item, columns.annotator, is_rejected, take, is_answered);
}

}  // namespace sieve
