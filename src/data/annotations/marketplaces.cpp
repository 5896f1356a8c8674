#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "base/named_rows.h"
#include "data/annotations/annotation_formats.h"
#include "data/annotations/label_lists.h"
#include "data/annotations/layouts.h"
#include "data/csv/csv_cells.h"
#include "data/csv/csv_columns.h"
#include "data/text/text_lines.h"
#include "labelsieve/options.h"

// Exports of MTurk and CrowdFlower (Appen).
namespace sieve {
namespace {

// The labels in "Answer.taskAnswers" of Mechanical Turk, JSON with an answer for each question:
//   [{"sea": {"on": true}, "wood": {"on": false}}]  check boxes, a label each
//   [{"mood": {"happy": true, "sad": false}}]       a group of buttons
//   [{"topic": {"label": "sea"}}]                   one choice; {"labels": [...]} for several
//   [{"topic": "sea"}]                              a text, where nothing else holds labels
class TaskAnswers {
 public:
  // Which questions hold the labels: those that `asked_for` names with commas between them, else
  // the only ones that can, by the first records. Error(Data) if that is in doubt, Error(Usage) for
  // a question that is not there.
  TaskAnswers(const AnnotationFile& file, std::size_t column, const std::string& asked_for);

  void cut(std::string_view cell, const Place& place, const LabelVisit& visit);

 private:
  enum class Kind { Nothing, CheckBox, Choices, Text, Other };

  struct Question {
    Kind kind = Kind::Nothing;
    std::vector<std::string> texts{};  // that were answered
  };
  using Questions = std::map<std::string, Question>;

  static Kind kind_of(const JsonValue& answer);
  void for_answers(std::string_view cell, const Place& place,
                   const std::function<void(std::string_view, const JsonValue&)>& visit);
  void choose(const AnnotationFile& file, const Questions& questions);
  void choose_named(const AnnotationFile& file, const Questions& questions,
                    const std::string& asked_for);
  void refuse_other_question(std::string_view name, Kind kind, const Place& place) const;
  void take(std::string_view name, const JsonValue& answer, const Place& place,
            const LabelVisit& visit) const;

  JsonParser parser_;
  std::set<std::string, std::less<>> chosen_;
  bool check_boxes_ = false;  // all of them are chosen, also those that come later
  bool named_ = false;        // by the user
  bool several_ = false;      // groups: labels are named "group/label"
};

std::optional<bool> truth_of(const JsonValue& value) {
  const std::string json = value.text() ? "" : value.plain();
  if (json == "true") return true;
  if (json == "false") return false;
  return std::nullopt;
}

TaskAnswers::Kind TaskAnswers::kind_of(const JsonValue& answer) {
  if (answer.is_null() || answer.plain().empty()) return Kind::Nothing;
  if (truth_of(answer)) return Kind::CheckBox;
  if (answer.is_array()) return Kind::Choices;
  if (!answer.is_object()) return Kind::Text;
  std::size_t members = 0, truths = 0;
  answer.for_members([&](std::string_view, const JsonValue& value) {
    ++members;
    truths += truth_of(value).has_value();
  });
  if (members == 0) return Kind::Nothing;
  if (truths == members) return members == 1 && answer.find("on") ? Kind::CheckBox : Kind::Choices;
  return answer.find("label") || answer.find("labels") ? Kind::Choices : Kind::Other;
}

void TaskAnswers::for_answers(
    std::string_view cell, const Place& place,
    const std::function<void(std::string_view, const JsonValue&)>& visit) {
  if (cell.empty()) return;
  const JsonValue all = parser_.parse(cell, place);
  if (all.is_object()) return all.for_members(visit);
  bool objects = all.is_array();
  all.for_each([&](const JsonValue& one) { objects &= one.is_object(); });
  if (!objects)
    throw Error(Failure::Data, "answers that are not a JSON object each", place,
                "answers look like [{\"sea\": {\"on\": true}}]");
  all.for_each([&](const JsonValue& one) { one.for_members(visit); });
}

TaskAnswers::TaskAnswers(const AnnotationFile& file, std::size_t column,
                         const std::string& asked_for) {
  Questions questions;
  for (const std::string& cell : sample_of(file.records, column))
    for_answers(cell, {file.path, 0, 0}, [&](std::string_view name, const JsonValue& answer) {
      Question& question = questions[std::string(name)];
      const Kind kind = kind_of(answer);
      question.kind = std::max(question.kind, kind);
      if (kind == Kind::Text) question.texts.push_back(answer.plain());
    });
  if (asked_for.empty())
    choose(file, questions);
  else
    choose_named(file, questions, asked_for);
}

// Check boxes are one question together.
void TaskAnswers::choose(const AnnotationFile& file, const Questions& questions) {
  std::vector<std::string> boxes, choices, texts, others;
  bool texts_repeat = false;
  for (const auto& [name, question] : questions) {
    if (question.kind == Kind::CheckBox) boxes.push_back(name);
    if (question.kind == Kind::Choices) choices.push_back(name);
    if (question.kind == Kind::Text) texts.push_back(name);
    if (question.kind == Kind::Other) others.push_back(name);
    texts_repeat |= any_repeats(question.texts);
  }
  const bool one = choices.size() + (boxes.empty() ? 0 : 1) == 1 && !texts_repeat;
  check_boxes_ = one && !boxes.empty();
  chosen_.insert(choices.begin(), choices.end());
  if (choices.empty() && boxes.empty() && texts.size() == 1) {
    chosen_.insert(texts.front());
    texts.clear();
  } else if (!one) {
    std::vector<std::string> names;
    for (const auto& [name, question] : questions) names.push_back(name);
    throw Error(Failure::Data,
                fmt::format("cannot tell which of the questions holds the labels: '{}'",
                            fmt::join(names, "', '")),
                {file.path, 0, 0}, "choose with " + term("ticks.label"));
  }
  texts.insert(texts.end(), others.begin(), others.end());
  if (!texts.empty())
    file.sink.note(fmt::format("answers that are not read: '{}'", fmt::join(texts, "', '")));
}

void TaskAnswers::choose_named(const AnnotationFile& file, const Questions& questions,
                               const std::string& asked_for) {
  named_ = true;
  std::size_t groups = 0;
  for (const std::string& name : cells_of(asked_for, 1, ',', file.path)) {
    const auto found = questions.find(name);
    if (found == questions.end()) {
      std::vector<std::string> names;
      for (const auto& [known, question] : questions) names.push_back(known);
      throw Error(Failure::Usage, "the answers have no question '" + name + "'", {file.path, 0, 0},
                  did_you_mean(name, names, fmt::format("they have {}", fmt::join(names, ", "))));
    }
    chosen_.insert(name);
    groups += found->second.kind != Kind::CheckBox;
  }
  several_ = groups > 1;
}

// A question that the first records do not have may hold labels, too.
void TaskAnswers::refuse_other_question(std::string_view name, Kind kind,
                                        const Place& place) const {
  if (named_ || (kind != Kind::CheckBox && kind != Kind::Choices)) return;
  throw Error(Failure::Data,
              fmt::format("the answers have several questions with labels: '{}' as well", name),
              place, "choose with " + term("ticks.label"));
}

void TaskAnswers::take(std::string_view name, const JsonValue& answer, const Place& place,
                       const LabelVisit& visit) const {
  const auto tell = [&](std::string_view label) {
    visit(several_ ? fmt::format("{}/{}", name, label) : std::string(label));
  };
  switch (kind_of(answer)) {
    case Kind::Nothing:
      return;
    case Kind::CheckBox:
      if (truth_of(answer.is_object() ? *answer.find("on") : answer).value()) visit(name);
      return;
    case Kind::Choices:
      for (const char* key : {"label", "labels"})
        if (const auto labels = answer.find(key); labels && !truth_of(*labels))
          return for_choices(*labels, place, tell);
      if (answer.is_array()) return for_choices(answer, place, tell);
      return answer.for_members([&](std::string_view label, const JsonValue& value) {
        if (truth_of(value).value()) tell(label);
      });
    case Kind::Text:
      return for_choices(answer, place, tell);
    case Kind::Other:
      throw Error(Failure::Data, fmt::format("the answer to '{}' holds no labels", name), place,
                  "choose another question with " + term("ticks.label"));
  }
}

void TaskAnswers::cut(std::string_view cell, const Place& place, const LabelVisit& visit) {
  for_answers(cell, place, [&](std::string_view name, const JsonValue& answer) {
    const Kind kind = kind_of(answer);
    if (chosen_.contains(name) || (check_boxes_ && kind == Kind::CheckBox))
      take(name, answer, place, visit);
    else
      refuse_other_question(name, kind, place);
  });
}

constexpr std::string_view kInput = "Input.", kAnswer = "Answer.";

// The one column of the input that is named as an id, else the HIT.
std::size_t mturk_item(const AnnotationFile& file) {
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

std::vector<std::size_t> answers_of(const AnnotationRecords& records) {
  return columns_where(records, [](std::string_view name) { return name.starts_with(kAnswer); });
}

bool is_on_or_off(const AnnotationRecords& records, std::size_t answer) {
  return records.names()[answer].ends_with(kOn) || sample_is(records, answer, is_true_or_false);
}

// The columns that the user has named, with commas between them; none if one of them is no answer
// that is on or off.
std::vector<std::size_t> named_on_or_off(const AnnotationFile& file) {
  std::vector<std::size_t> named;
  for (const std::string& name : cells_of(file.options.label, 1, ',', file.path)) {
    named.push_back(file.records.column(name));
    if (named.back() == AnnotationRecords::npos || !name.starts_with(kAnswer) ||
        !is_on_or_off(file.records, named.back()))
      return {};
  }
  return named;
}

bool lists_labels(const AnnotationRecords& records, std::size_t column) {
  const std::vector<std::string> cells = sample_of(records, column);
  return LabelCutter("", cells).separator() == "|" ||
         std::ranges::any_of(cells,
                             [](const std::string& cell) { return cell.starts_with("[\""); });
}

// The one answer, or the first that lists labels.
std::size_t mturk_label(const AnnotationFile& file) {
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
std::vector<std::size_t> found_on_or_off(const AnnotationFile& file) {
  const AnnotationRecords& records = file.records;
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

std::vector<LabelColumn> mturk_label_columns(const AnnotationFile& file) {
  const AnnotationRecords& records = file.records;
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
std::function<void(const Place&)> mturk_labels(const AnnotationFile& file) {
  const AnnotationRecords& records = file.records;
  const std::size_t json = records.column(kTaskAnswers);
  const std::string& asked_for = file.options.label;
  const bool whole = asked_for.empty() || asked_for == kTaskAnswers;
  if (json != AnnotationRecords::npos &&
      (whole || records.column(asked_for) == AnnotationRecords::npos)) {
    use_column(file, json, "labels");
    return
        [&file, json, answers = std::make_shared<TaskAnswers>(file, json, whole ? "" : asked_for)](
            const Place& place) {
          answers->cut(file.records.cell(json), place,
                       [&](std::string_view label) { file.sink.tick(label); });
        };
  }
  std::vector<LabelColumn> columns = mturk_label_columns(file);
  for (const LabelColumn& column : columns) use_column(file, column.column, "label");
  if (columns.empty()) return nullptr;
  file.sink.note(fmt::format("{} answers that are true or false are labels, from '{}' to '{}'",
                             columns.size(), columns.front().label, columns.back().label));
  return [&file, columns = std::move(columns)](const Place&) {
    annotation_label_columns(file, columns);
  };
}

}  // namespace

bool looks_like_mturk(const AnnotationRecords& records) {
  return has_columns(records, {"HITId", "AssignmentId", "WorkerId"});
}

void read_mturk(const AnnotationFile& file) {
  file.sink.comes_from_a_marketplace();
  AnnotationRecords& records = file.records;
  const std::size_t status = records.column("AssignmentStatus"), reject = records.column("Reject");
  const auto is_rejected = [&] {
    return same_word(records.cell(status), "Rejected") || !records.cell(reject).empty();
  };
  const std::size_t item = mturk_item(file);
  const std::size_t annotator =
      need_column(records, file.options.annotator, {"workerid"}, "annotators", file.path);
  if (const std::function<void(const Place&)> take = mturk_labels(file))
    for_annotations(file, item, annotator, is_rejected, take);
  else
    read_annotation_lines(file, {item, annotator, mturk_label(file)}, is_rejected);
}

bool looks_like_crowdflower(const AnnotationRecords& records) {
  return has_columns(records, {"_unit_id", "_worker_id"});
}

namespace {

// The answers of test questions, and what the platform adds to a question or an annotation.
bool is_crowdflower_side_column(std::string_view name) {
  constexpr std::array<std::string_view, 4> kEndings = {"_gold", "_gold_reason", ":confidence",
                                                        ":variance"};
  return name.starts_with('_') || is_side_column(name) ||
         std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

// What the first cells of a column list, in whatever order and form.
std::vector<std::set<std::string>> lists_in(const AnnotationFile& file, std::size_t column) {
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
std::size_t crowdflower_label(const AnnotationFile& file, std::size_t item) {
  const AnnotationRecords& records = file.records;
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
  if (found.empty() || std::ranges::any_of(found, says_other)) {
    const std::vector<std::size_t> aside = columns_where(records, is_crowdflower_side_column);
    return labels_by_content(file, item, aside);
  }
  file.sink.note("labels are those in '" + records.names()[found.front()] + "'");
  return found.front();
}

}  // namespace

void read_crowdflower(const AnnotationFile& file) {
  file.sink.comes_from_a_marketplace();
  AnnotationRecords& records = file.records;
  const std::size_t tainted = records.column("_tainted");
  const std::size_t item = need_column(records, file.options.item, {"unitid"}, "items", file.path);
  const AnnotationColumns columns = {
      item, need_column(records, file.options.annotator, {"workerid"}, "annotators", file.path),
      crowdflower_label(file, item)};
  read_annotation_lines(file, columns, [&] { return is_yes(records.cell(tainted)); });
}

}  // namespace sieve
