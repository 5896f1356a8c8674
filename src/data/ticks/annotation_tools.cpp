// Exports of Label Studio, Prodigy, doccano and Argilla.
#include <algorithm>

#include <fmt/format.h>

#include "data/csv/csv_columns.h"
#include "data/ticks/label_lists.h"
#include "data/ticks/layouts.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

constexpr std::size_t npos = TickRecords::npos;

// The key that names items of tools which do not ask for one: an id of the user's own, else what
// the tool made up, else the text itself.
std::size_t tool_item(const TickFile& file) {
  return need_column(file.records, file.options.item,
                     {"itemid", "item", "id", "taskid", "exampleid", "docid", "inputhash",
                      "filename", "image", "text"},
                     "items", file.path);
}

}  // namespace

// ---- Label Studio
// ---------------------------------------------------------------------------------

namespace {

class LabelStudioTasks {
 public:
  explicit LabelStudioTasks(const TickFile& file)
      : file_(file),
        id_(file.records.column("id")),
        data_(file.records.column("data")),
        question_(file.options.label) {
    for (const char* name : {"annotations", "completions"})
      if (annotations_ == npos) annotations_ = file.records.column(name);
    predictions_ = file.records.column("predictions");
    if (annotations_ == npos)
      file.sink.note(
          "there are no annotations: predictions are read instead, one person per model version");
  }

  void read() {
    while (file_.records.next()) {
      const Place place = file_.records.place();
      const std::string item = item_of(place);
      const std::size_t column = annotations_ == npos ? predictions_ : annotations_;
      const std::string_view cell = file_.records.cell(column);
      if (cell.empty()) continue;
      parser_.parse(cell, place).for_each([&](const JsonValue& one) { take(item, one, place); });
    }
    if (!item_key_.empty()) file_.sink.note("items are named by '" + item_key_ + "' in their data");
  }

 private:
  // The key of the data that the user has named, else one named as an id, else the number of the
  // task.
  std::string item_of(const Place& place) {
    const std::string_view data = file_.records.cell(data_);
    std::string item;
    if (!data.empty())
      data_parser_.parse(data, place)
          .for_members([&](std::string_view key, const JsonValue& value) {
            const bool wanted = file_.options.item.empty() ? id_name(key) == IdName::Yes
                                                           : key == file_.options.item;
            if (!wanted || (!item_key_.empty() && key != item_key_)) return;
            item_key_ = key;
            item = value.plain();
          });
    if (item.empty() && !file_.options.item.empty())
      throw Error(Failure::Data, "a task without '" + file_.options.item + "' in its data", place,
                  "check " + term("ticks.item"));
    if (item.empty() && !item_key_.empty())
      throw Error(Failure::Data, "a task without '" + item_key_ + "' in its data", place,
                  "say what names the items with " + term("ticks.item"));
    return item.empty() ? std::string(file_.records.cell(id_)) : item;
  }

  std::string person_of(const JsonValue& annotation) const {
    for (const char* key : {"completed_by", "model_version"})
      if (const auto by = annotation.find(key)) {
        for (const char* name : {"email", "id"})
          if (const auto one = by->find(name)) return one->plain();
        if (!by->is_null()) return by->plain();
      }
    return file_.person;
  }

  void take(const std::string& item, const JsonValue& annotation, const Place& place) {
    for (const char* key : {"was_cancelled", "skipped"})
      if (const auto left = annotation.find(key); left && left->plain() == "true")
        if (!file_.options.all_people) return file_.sink.leave_out();
    file_.sink.look(item, person_of(annotation), place);
    if (const auto results = annotation.find("result"))
      results->for_each([&](const JsonValue& result) { take_result(result, place); });
  }

  void take_result(const JsonValue& result, const Place& place) {
    const auto value = result.find("value");
    const auto type = result.find("type");
    if (!value || !type) return;
    const std::string kind = type->plain();
    if (kind != "choices" && kind != "taxonomy") return;
    const auto from = result.find("from_name");
    const std::string question = from ? from->plain() : "";
    if (question_.empty()) question_ = question;
    if (question != question_) {
      if (!file_.options.label.empty()) return;
      throw Error(
          Failure::Data,
          "the annotations answer several questions: '" + question_ + "' and '" + question + "'",
          place, "choose one with " + term("ticks.label"));
    }
    if (const auto choices = value->find(kind))
      for_choices(*choices, [&](std::string_view label) { file_.sink.tick(label); });
  }

  const TickFile& file_;
  std::size_t id_, data_, annotations_ = npos, predictions_ = npos;
  std::string question_, item_key_;
  JsonParser parser_, data_parser_;
};

}  // namespace

bool looks_like_label_studio(const TickRecords& records) {
  const bool tasks = has_columns(records, {"annotations"}) ||
                     has_columns(records, {"completions"}) || has_columns(records, {"predictions"});
  return records.is_json() && tasks && has_columns(records, {"data"});
}

void read_label_studio(const TickFile& file) {
  LabelStudioTasks(file).read();
}

// One choice is a bare string, several are {"choices": [...]}.
bool looks_like_label_studio_min(const TickRecords& records) {
  return has_columns(records, {"annotator", "annotation_id"});
}

void read_label_studio_min(const TickFile& file) {
  const TickRecords& records = file.records;
  std::size_t label = find_column(records, file.options.label, {}, file.path);
  for (std::size_t i = 0; i < records.names().size() && label == npos; ++i)
    if (std::ranges::any_of(sample_of(records, i), [](const std::string& cell) {
          return cell.starts_with("{\"choices\"");
        })) {
      label = i;
      file.sink.note("labels are those in '" + records.names()[i] + "'");
    }
  if (label == npos) label = need_column(records, {}, kLabelNames, "labels", file.path);
  read_judgements(
      file, {tool_item(file),
             need_column(records, file.options.person, {"annotator"}, "people", file.path), label,
             false});
}

// ---- Prodigy
// --------------------------------------------------------------------------------------

bool looks_like_prodigy(const TickRecords& records) {
  return records.is_json() && has_columns(records, {"answer"}) &&
         (has_columns(records, {"accept"}) || has_columns(records, {"label"}));
}

void read_prodigy(const TickFile& file) {
  TickRecords& records = file.records;
  const std::size_t item = tool_item(file), answer = records.column("answer");
  const std::size_t person =
      find_column(records, file.options.person, {"annotatorid", "sessionid"}, file.path);
  const std::size_t accept = records.column("accept");
  // Either a list of options that were accepted, or one label that was accepted or rejected.
  const std::size_t label = accept != npos ? accept : records.column("label");
  LabelCutter cutter(file.options.separator, {});
  while (records.next()) {
    const Place place = records.place();
    if (records.cell(answer) == "ignore") {
      file.sink.leave_out();
      continue;
    }
    const std::string_view who = records.cell(person);
    file.sink.look(records.cell(item), who.empty() ? std::string_view(file.person) : who, place);
    if (records.cell(answer) == "accept")
      cutter.cut(records.cell(label), place, [&](std::string_view one) { file.sink.tick(one); });
  }
}

// ---- doccano
// --------------------------------------------------------------------------------------

// No person: the file is that of one.
bool looks_like_doccano(const TickRecords& records) {
  return records.is_json() && find_column(records, {}, kLabelNames, {}) != npos;
}

void read_doccano(const TickFile& file) {
  read_judgements(
      file,
      {tool_item(file), find_column(file.records, file.options.person, kPersonNames, file.path),
       need_column(file.records, file.options.label, kLabelNames, "labels", file.path)});
}

// ---- Argilla
// --------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kResponses = ".responses";

std::vector<std::size_t> argilla_questions(const TickRecords& records) {
  return columns_where(records, [](std::string_view name) { return name.ends_with(kResponses); });
}

std::vector<std::string> elements(JsonParser& parser, std::string_view cell, const Place& place) {
  std::vector<std::string> all;
  if (!cell.empty())
    parser.parse(cell, place).for_each([&](const JsonValue& one) { all.push_back(one.plain()); });
  return all;
}

}  // namespace

bool looks_like_argilla(const TickRecords& records) {
  return !argilla_questions(records).empty();
}

void read_argilla(const TickFile& file) {
  TickRecords& records = file.records;
  const std::vector<std::size_t> questions = argilla_questions(records);
  if (file.options.label.empty() && questions.size() != 1)
    refuse_columns(records, "labels", file.path);
  std::string question = file.options.label;
  if (question.empty()) question = records.names()[questions.front()];
  if (!question.ends_with(kResponses)) question += kResponses;
  const std::size_t responses = find_column(records, question, {}, file.path);
  const std::size_t users = need_column(records, question + ".users", {}, "people", file.path);
  const std::size_t status = records.column(question + ".status");
  const std::size_t item = tool_item(file);
  JsonParser parser;
  LabelCutter cutter(file.options.separator, {});
  while (records.next()) {
    const Place place = records.place();
    const std::vector<std::string> said = elements(parser, records.cell(responses), place);
    const std::vector<std::string> people = elements(parser, records.cell(users), place);
    const std::vector<std::string> states = elements(parser, records.cell(status), place);
    if (people.size() != said.size())
      throw Error(Failure::Data,
                  fmt::format("{} responses of {} people", said.size(), people.size()), place,
                  "export the records again");
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (i < states.size() && states[i] != "submitted" && !file.options.all_people) {
        file.sink.leave_out();
        continue;
      }
      file.sink.look(records.cell(item), people[i], place);
      cutter.cut(said[i], place, [&](std::string_view label) { file.sink.tick(label); });
    }
  }
}

}  // namespace sieve
