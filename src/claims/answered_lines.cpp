#include "claims/answered_lines.h"

#include <algorithm>
#include <utility>

#include "base/named_rows.h"
#include "data/text/text_lines.h"

namespace sieve {
namespace {

constexpr std::size_t npos = AnnotationRecords::npos;

// The member of that name as text; "" for none.
std::string member_of(const JsonValue& object, std::string_view name) {
  const auto found = object.find(name);
  return found ? found->plain() : "";
}

// The choices of an annotation of Label Studio, those of all its results.
std::string choices_of(const JsonValue& annotation) {
  std::string choices;
  if (const auto results = annotation.find("result"))
    results->for_each([&](const JsonValue& result) {
      const auto value = result.find("value");
      const auto list = value ? value->find("choices") : std::nullopt;
      if (list)
        list->for_each(
            [&](const JsonValue& one) { choices += (choices.empty() ? "" : ", ") + one.plain(); });
    });
  return choices;
}

}  // namespace

AnsweredLines::AnsweredLines(const std::string& path, const ColumnNames& names, FileSystem& files)
    : file_(open_annotations(path, options_, files)) {
  choose_sheet();
  data_ = records_->column("data");
  for (const char* name : {"annotations", "completions"})
    if (annotations_ == npos) annotations_ = records_->column(name);
  tasks_ = records_->is_json() && data_ != npos;
  if (tasks_) return;
  item_ = need_column(*records_, {}, kItemNames, "rows", path);
  label_ = need_column(*records_, {}, kLabelNames, "labels", path);
  answer_ = need_column(*records_, {}, names, "answers", path);
  pass_ = records_->column("pass");
  audit_ = records_->column("audit");
}

void AnsweredLines::choose_sheet() {
  std::size_t chosen = 0;
  for (std::size_t k = 0; file_->count() > 1 && k < file_->count(); ++k)
    if (file_->records(k).column("audit") != npos) {
      chosen = k;
      break;
    }
  records_ = &file_->records(chosen);
}

bool AnsweredLines::next(AnsweredLine& line) {
  if (!records_->next()) return false;
  line.place = records_->place();
  if (tasks_) {
    read_task(line);
    return true;
  }
  line.item = records_->cell(item_);
  line.label = records_->cell(label_);
  line.answer = records_->cell(answer_);
  line.pass = records_->cell(pass_);
  line.audit = records_->cell(audit_);
  return true;
}

void AnsweredLines::read_task(AnsweredLine& line) {
  const JsonValue data = parser_.parse(records_->cell(data_), line.place);
  line.item = member_of(data, data.find("item") ? "item" : "id");
  line.label = member_of(data, "label");
  line.pass = member_of(data, "pass");
  line.audit = member_of(data, "audit");
  line.answer.clear();
  const std::string_view cell = records_->cell(annotations_);  // none of a task nobody opened
  if (cell.empty()) return;
  parser_.parse(cell, line.place).for_each([&](const JsonValue& annotation) {
    if (member_of(annotation, "was_cancelled") == "true") return;
    std::string choices = choices_of(annotation);
    if (!line.answer.empty() && !choices.empty() && choices != line.answer)
      throw Error(Failure::Data, "this task has two annotations, with different answers",
                  line.place,
                  "keep one annotation of each task: what is asked twice has two tasks");
    if (!choices.empty()) line.answer = std::move(choices);
  });
}

AuditAnswer answer_in(const AnsweredLine& line) {
  if (line.answer.empty()) return AuditAnswer::None;
  for (const char* on : {"1", "true", "yes", "right", "y"})
    if (same_word(line.answer, on)) return AuditAnswer::Right;
  for (const char* off : {"0", "false", "no", "wrong", "n"})
    if (same_word(line.answer, off)) return AuditAnswer::Wrong;
  for (const char* unsure : {"?", "unsure", "cannot tell"})
    if (same_word(line.answer, unsure)) return AuditAnswer::Unsure;
  throw Error(Failure::Data, "'" + line.answer + "' is not an answer", line.place,
              "write 1 where the label is right, 0 where it is not, ? if you cannot tell");
}

CellNames::CellNames(const Dataset& data) : data_(data) {
  for (std::size_t i = 0; i < data.rows(); ++i)
    rows_.emplace(data.ids.empty() ? std::to_string(i) : data.ids[i], i);
}

std::size_t CellNames::row(const AnsweredLine& line) const {
  const auto row = rows_.find(line.item);
  if (row == rows_.end())
    throw Error(Failure::Data, "there is no row '" + line.item + "'", line.place,
                "lines name rows of the data by id, or by number from 0 where they have none");
  return row->second;
}

std::size_t CellNames::label(const AnsweredLine& line) const {
  const auto found = std::ranges::find(data_.label_names, line.label);
  if (found == data_.label_names.end())
    throw Error(Failure::Data, "there is no label '" + line.label + "'", line.place,
                did_you_mean(line.label, data_.label_names, "lines name labels of the data"));
  return static_cast<std::size_t>(found - data_.label_names.begin());
}

}  // namespace sieve
