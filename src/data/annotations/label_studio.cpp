// Exports of Label Studio.
#include "data/annotations/label_studio.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "data/annotations/item_column.h"
#include "data/annotations/label_lists.h"
#include "data/annotations/layouts.h"
#include "data/question.h"
#include "data/text/text_lines.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::size_t npos = AnnotationRecords::npos;

}  // namespace

namespace {

// Annotations wait until all tasks are read: only then is it known what names the items.
class LabelStudioTasks {
 public:
  explicit LabelStudioTasks(const AnnotationFile& file)
      : file_(file),
        id_(file.records.column("id")),
        data_(file.records.column("data")),
        question_(file.options.label),
        keys_(file.options.item) {
    for (const char* name : {"annotations", "completions"})
      if (annotations_ == npos) annotations_ = file.records.column(name);
    predictions_ = file.records.column("predictions");
    if (annotations_ != npos) return;
    annotations_ = std::exchange(predictions_, npos);
    from_programs_ = true;
    file.sink.note(
        "there are no annotations: predictions are read instead, one program per model version");
  }

  void read() {
    while (file_.records.next()) {
      const Place place = file_.records.place();
      const std::string_view data = file_.records.cell(data_);
      const JsonValue values = parser_.parse(data.empty() ? "{}" : data, place);
      keys_.add(values);
      tasks_.push_back({std::string(file_.records.cell(id_)), place.line});
      if (file_.sink.data() != nullptr)
        values.for_members([&](std::string_view key, const JsonValue& value) {
          if (value.text()) tasks_.back().data.emplace_back(key, *value.text());
        });
      take_predictions(place);
      const std::string_view cell = file_.records.cell(annotations_);
      if (cell.empty()) continue;
      parser_.parse(cell, place).for_each([&](const JsonValue& one) {
        take(one, place, from_programs_);
      });
    }
    if (tasks_.empty()) return;
    refuse_without_choices();
    name_items();
    for (const Task& task : tasks_)
      for (const auto& [key, value] : task.data)
        file_.sink.data()->take_value(task.item, key, value);
    for (const Annotation& one : taken_) {
      const Task& task = tasks_[one.task];
      file_.sink.annotate(task.item, one.annotator, {file_.path, task.line, 0});
      file_.sink.time(one.time, one.time_key);
      for (const std::string& label : one.labels) file_.sink.tick(label);
      if (one.program) file_.sink.is_program(one.annotator);
    }
    if (unread_predictions_ != 0)
      file_.sink.note(fmt::format("{} predictions are not read; {} joins them as programs",
                                  unread_predictions_, term("ticks.predictions", "true")));
    note_other_results();
  }

 private:
  struct Task {
    std::string item;
    std::size_t line;
    std::vector<std::pair<std::string, std::string>> data{};  // texts, where they are wanted
  };
  struct Annotation {
    std::size_t task;
    std::string annotator;
    std::vector<std::string> labels;
    std::string time, time_key;
    bool program = false;
  };

  void take_predictions(const Place& place) {
    const std::string_view cell = predictions_ == npos ? "" : file_.records.cell(predictions_);
    if (cell.empty()) return;
    parser_.parse(cell, place).for_each([&](const JsonValue& one) {
      if (file_.options.predictions)
        take(one, place, true);
      else
        ++unread_predictions_;
    });
  }

  void name_items() {
    const std::string& asked_for = file_.options.item;
    if (const std::vector<std::string>* names = keys_.names()) {
      for (std::size_t i = 0; i < tasks_.size(); ++i) tasks_[i].item = (*names)[i];
      file_.sink.note("items are named by '" + keys_.chosen() + "' in their data");
    } else if (!asked_for.empty() && !(asked_for == "id" && keys_.none())) {
      throw Error(Failure::Data, "a task without '" + asked_for + "' in its data",
                  {file_.path, tasks_[keys_.complete()].line, 0}, "check " + term("ticks.item"));
    } else if (const std::string unfit = keys_.unfit(); asked_for.empty() && !unfit.empty()) {
      file_.sink.note("items are the tasks: '" + unfit +
                      "' in their data repeats or is missing; if it names the items, say " +
                      term("ticks.item", unfit));
    }
  }

  std::string annotator_of(const JsonValue& annotation, bool program) const {
    for (const char* key : {"completed_by", "model_version"})
      if (const auto by = annotation.find(key)) {
        for (const char* name : {"email", "id"})
          if (const auto one = by->find(name)) return one->plain();
        if (!by->is_null() && !by->plain().empty()) return by->plain();
      }
    return program ? "predictions" : file_.annotator;
  }

  void take(const JsonValue& annotation, const Place& place, bool program) {
    for (const char* key : {"was_cancelled", "skipped"})
      if (const auto left = annotation.find(key); left && left->plain() == "true")
        if (!file_.options.all_annotators) return file_.sink.leave_out();
    Annotation taken{tasks_.size() - 1, annotator_of(annotation, program), {}, {}, {}, program};
    bool choices = false, others = false;
    for (const char* key : {"updated_at", "created_at"})
      if (const auto time = annotation.find(key); time && taken.time.empty()) {
        taken.time = time->plain();
        taken.time_key = key;
      }
    if (const auto results = annotation.find("result"))
      results->for_each([&](const JsonValue& result) {
        (take_result(result, place, taken.labels) ? choices : others) = true;
      });
    // Who only drew boxes was perhaps not asked for labels.
    if (others && !choices)
      ++without_choices_;
    else
      taken_.push_back(std::move(taken));
  }

  // Whether the result holds choices.
  bool take_result(const JsonValue& result, const Place& place, std::vector<std::string>& labels) {
    const auto value = result.find("value");
    const auto type = result.find("type");
    const std::string kind = type ? type->plain() : "";
    if (kind != "choices" && kind != "taxonomy") {
      ++other_results_[kind.empty() ? "unknown" : kind];
      return false;
    }
    const auto from = result.find("from_name");
    const std::string question = from ? from->plain() : "";
    questions_.insert(question);
    if (question_.empty()) question_ = question;
    if (question != question_) {
      if (!file_.options.label.empty()) return true;
      throw Error(
          Failure::Data,
          "the annotations answer several questions: '" + question_ + "' and '" + question + "'",
          place, "choose one with " + term("ticks.label"));
    }
    if (const auto choices = value ? value->find(kind) : std::nullopt)
      for_choices(*choices, place, [&](std::string_view label) { labels.emplace_back(label); });
    return true;
  }

  std::string other_results() const {
    std::vector<std::string> parts;
    for (const auto& [kind, count] : other_results_)
      parts.push_back(fmt::format("{} '{}'", count, kind));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  void refuse_without_choices() const {
    if (questions_.empty() && without_choices_ != 0)
      throw Error(
          Failure::Data,
          "the annotations hold no choices, only results of other types: " + other_results(),
          {file_.path, 0, 0},
          "labels are results of the types 'choices' and 'taxonomy'; export a project that "
          "asks for them");
    if (!questions_.empty() && !questions_.contains(question_))
      throw Error(Failure::Usage, "no annotation has choices for '" + question_ + "'",
                  {file_.path, 0, 0}, fmt::format("they have '{}'", fmt::join(questions_, "', '")));
  }

  void note_other_results() const {
    if (other_results_.empty()) return;
    file_.sink.note("results of other types than choices are not read: " + other_results());
    if (without_choices_ != 0)
      file_.sink.note(
          fmt::format("annotations with such results alone, left out: {}", without_choices_));
  }

  const AnnotationFile& file_;
  std::size_t id_, data_, annotations_ = npos, predictions_ = npos;
  bool from_programs_ = false;          // there are no annotations, only predictions
  std::size_t unread_predictions_ = 0;  // beside annotations
  std::string question_;
  std::set<std::string> questions_;  // all that were met
  ItemKeys keys_;
  std::vector<Task> tasks_;
  std::vector<Annotation> taken_;
  std::map<std::string, std::size_t> other_results_;  // how many of each type
  std::size_t without_choices_ = 0;                   // annotations
  JsonParser parser_;
};

}  // namespace

bool looks_like_label_studio(const AnnotationRecords& records) {
  const bool tasks = has_columns(records, {"annotations"}) ||
                     has_columns(records, {"completions"}) || has_columns(records, {"predictions"});
  return records.is_json() && tasks && has_columns(records, {"data"});
}

void read_label_studio(const AnnotationFile& file) {
  LabelStudioTasks(file).read();
}

// One choice is a bare string, several are {"choices": [...]}; none of them says yes or no to
// another column.
bool looks_like_label_studio_min(const AnnotationRecords& records) {
  return has_columns(records, {"id", "annotator", "annotation_id"}) &&
         columns_where(records, [&](std::string_view name) {
           return says_yes_and_no(records, records.column(name));
         }).empty();
}

namespace {

// The column of labels of a small export: the one with choices, else the only one that is named so
// or, if none is, that may have labels by its content.
std::size_t choices_column(const AnnotationFile& file, std::size_t item) {
  const AnnotationRecords& records = file.records;
  for (std::size_t i = 0; i < records.names().size(); ++i)
    if (std::ranges::any_of(sample_of(records, i), [](const std::string& cell) {
          return cell.starts_with("{\"choices\"");
        })) {
      file.sink.note("labels are those in '" + records.names()[i] + "'");
      return i;
    }
  const std::size_t first = find_column(records, {}, kLabelNames, file.path);
  if (first == npos)
    return labels_by_content(file, item, {records.column("id"), records.column("annotator")});
  std::vector<ReadAnswer> answers;
  for (const std::size_t column : columns_where(records, [](std::string_view name) {
         return std::ranges::find(kLabelNames, bare_name(name)) != kLabelNames.end();
       }))
    answers.push_back({fmt::format("if the labels are in '{}'", records.names()[column]),
                       {{"ticks.label", records.names()[column]}}});
  if (answers.size() > 1)
    throw ReadQuestion("cannot tell which column has the labels", {file.path, 0, 0}, answers);
  return first;
}

}  // namespace

void read_label_studio_min(const AnnotationFile& file) {
  const AnnotationRecords& records = file.records;
  std::size_t label = find_column(records, file.options.label, {}, file.path);
  const std::size_t item = tool_item(file);
  if (label == npos) label = choices_column(file, item);
  read_annotation_lines(
      file,
      {item, need_column(records, file.options.annotator, {"annotator"}, "annotators", file.path),
       label, false, true});
}

}  // namespace sieve
