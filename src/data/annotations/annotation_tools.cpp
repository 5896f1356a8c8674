// Exports of Prodigy, doccano and Argilla.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "data/annotations/item_column.h"
#include "data/annotations/label_lists.h"
#include "data/annotations/layouts.h"
#include "data/csv/csv_columns.h"
#include "data/text/text_lines.h"
#include "labelsieve/options.h"

namespace sieve {
namespace {

constexpr std::size_t npos = AnnotationRecords::npos;

}  // namespace

// ---- Prodigy
// --------------------------------------------------------------------------------------

bool looks_like_prodigy(const AnnotationRecords& records) {
  const auto is_answer = [](std::string_view cell) {
    return cell == "accept" || cell == "reject" || cell == "ignore";
  };
  return records.is_json() && sample_is(records, records.column("answer"), is_answer) &&
         (has_columns(records, {"accept"}) || has_columns(records, {"label"}));
}

namespace {

// Options of which some were accepted.
void take_options(const AnnotationFile& file, const std::string& item, std::string_view annotator,
                  std::string_view accepted, LabelCutter& cutter) {
  const Place place = file.records.place();
  file.sink.annotate(item, annotator, place);
  cutter.cut(accepted, place, [&](std::string_view one) { file.sink.tick(one); });
}

// One label that was accepted or rejected.
void take_answer(const AnnotationFile& file, const std::string& item, std::string_view annotator,
                 std::string_view label, Vote vote) {
  const Place place = file.records.place();
  if (trimmed(label).empty())
    throw Error(Failure::Data, "an answer without a label", place,
                "leave out records of other questions");
  if (file.sink.data() != nullptr) file.sink.data()->take(item);
  file.asked.add(item, annotator, label, vote, place);
}

}  // namespace

void read_prodigy(const AnnotationFile& file) {
  AnnotationRecords& records = file.records;
  const std::string& chosen = file.options.label;
  const std::size_t item = tool_item(file), answer = records.column("answer");
  const std::size_t annotator_column =
      find_column(records, file.options.annotator, {"annotatorid", "sessionid"}, file.path);
  const std::size_t accept = records.column("accept"), label = records.column("label");
  const bool binary = accept == npos;
  use_column(file, item, "id");
  use_column(file, annotator_column, "annotator");
  use_column(file, binary ? label : accept, "labels");
  use_column(file, answer, "vote");
  if (binary && records.column(chosen) == npos) file.asked.choose(chosen);
  LabelCutter cutter(file.options.separator, {});
  const SubmissionColumns submission(file);
  while (records.next()) {
    const bool ignored = records.cell(answer) == "ignore";
    if (ignored && !binary) {
      file.sink.skip();
      continue;
    }
    const bool accepted = records.cell(answer) == "accept";
    const std::string name(records.cell(item));
    const std::string_view who = records.cell(annotator_column);
    const std::string_view annotator = who.empty() ? std::string_view(file.annotator) : who;
    if (binary)
      take_answer(file, name, annotator, records.cell(label),
                  ignored    ? Vote::Unsure
                  : accepted ? Vote::Yes
                             : Vote::No);
    else
      take_options(file, name, annotator, accepted ? records.cell(accept) : "", cutter);
    if (!binary) submission.tell();
  }
}

// ---- doccano
// --------------------------------------------------------------------------------------

// No annotator: the file is that of one.
bool looks_like_doccano(const AnnotationRecords& records) {
  return records.is_json() && find_column(records, {}, kLabelNames, {}) != npos;
}

void read_doccano(const AnnotationFile& file) {
  const AnnotationRecords& records = file.records;
  const std::size_t item = tool_item(file), annotator = annotator_column(file);
  const std::size_t label =
      need_column(records, file.options.label, kLabelNames, "labels", file.path);
  // Files of doccano have an id. In others a further column may name the items better than a text.
  if (file.options.item.empty() && bare_name(records.names()[item]) == "text") {
    std::vector<std::size_t> columns = open_columns(records, {item, annotator, label});
    columns.insert(columns.begin(), item);
    if (columns.size() > 1) ask_for_items(file, columns);
  }
  settle_annotators(file, annotator, item, {label}, OneAnnotator::Plain);
  read_annotation_lines(file, {item, annotator, label});
}

// ---- Argilla
// --------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kResponses = ".responses";

std::vector<std::size_t> argilla_questions(const AnnotationRecords& records) {
  return columns_where(records, [](std::string_view name) { return name.ends_with(kResponses); });
}

std::vector<std::string> elements(JsonParser& parser, std::string_view cell, const Place& place) {
  std::vector<std::string> all;
  if (!cell.empty())
    parser.parse(cell, place).for_each([&](const JsonValue& one) { all.push_back(one.plain()); });
  return all;
}

}  // namespace

bool looks_like_argilla(const AnnotationRecords& records) {
  return !argilla_questions(records).empty();
}

void read_argilla(const AnnotationFile& file) {
  AnnotationRecords& records = file.records;
  const std::vector<std::size_t> questions = argilla_questions(records);
  if (file.options.label.empty() && questions.size() != 1)
    refuse_columns(records, "labels", file.path);
  std::string question = file.options.label;
  if (question.empty()) question = records.names()[questions.front()];
  if (!question.ends_with(kResponses)) question += kResponses;
  const std::size_t responses = find_column(records, question, {}, file.path);
  const std::size_t users = need_column(records, question + ".users", {}, "annotators", file.path);
  const std::size_t status = records.column(question + ".status");
  const std::size_t item = tool_item(file);
  use_column(file, item, "id");
  use_column(file, users, "annotator");
  use_column(file, responses, "labels");
  JsonParser parser;
  LabelCutter cutter(file.options.separator, {});
  while (records.next()) {
    const Place place = records.place();
    const std::vector<std::string> said = elements(parser, records.cell(responses), place);
    const std::vector<std::string> annotators = elements(parser, records.cell(users), place);
    const std::vector<std::string> states = elements(parser, records.cell(status), place);
    if (annotators.size() != said.size())
      throw Error(Failure::Data,
                  fmt::format("{} responses of {} people", said.size(), annotators.size()), place,
                  "export the records again");
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (i < states.size() && states[i] != "submitted" && !file.options.all_annotators) {
        file.sink.leave_out();
        continue;
      }
      file.sink.annotate(records.cell(item), annotators[i], place);
      cutter.cut(said[i], place, [&](std::string_view label) { file.sink.tick(label); });
    }
  }
}

// ---- Argilla 2: records with objects in them
// --------------------------------------------------------

bool looks_like_argilla_records(const AnnotationRecords& records) {
  const auto is_object = [](std::string_view cell) { return cell.starts_with('{'); };
  return records.is_json() && sample_is(records, records.column("fields"), is_object) &&
         sample_is(records, records.column("responses"), is_object);
}

namespace {

class ArgillaRecords {
 public:
  explicit ArgillaRecords(const AnnotationFile& file)
      : file_(file), question_(file.options.label), cutter_(file.options.separator, {}) {}

  void read() {
    AnnotationRecords& records = file_.records;
    const std::size_t item = tool_item(file_), fields = records.column("fields"),
                      responses = records.column("responses");
    use_column(file_, item, "id");
    use_column(file_, responses, "labels");
    while (records.next()) {
      const Place place = records.place();
      const std::string name(records.cell(item));
      take_fields(name, records.cell(fields), place);
      parser_.parse(records.cell(responses), place)
          .for_members([&](std::string_view question, const JsonValue& all) {
            if (!is_asked(question, place)) return;
            all.for_each([&](const JsonValue& one) { take(name, one, place); });
          });
    }
    if (!questions_.empty() && !questions_.contains(question_))
      throw Error(Failure::Usage, "no record has responses to '" + question_ + "'",
                  {file_.path, 0, 0}, fmt::format("they have '{}'", fmt::join(questions_, "', '")));
  }

 private:
  void take_fields(const std::string& item, std::string_view cell, const Place& place) {
    if (file_.sink.data() == nullptr || cell.empty()) return;
    parser_.parse(cell, place).for_members([&](std::string_view key, const JsonValue& value) {
      if (const auto text = value.text())
        file_.sink.data()->take_value(item, std::string(key), *text);
    });
  }

  bool is_asked(std::string_view question, const Place& place) {
    questions_.emplace(question);
    if (question_.empty()) question_ = question;
    if (question == question_) return true;
    if (!file_.options.label.empty()) return false;
    throw Error(
        Failure::Data,
        fmt::format("the annotations answer several questions: '{}' and '{}'", question_, question),
        place, "choose one with " + term("ticks.label"));
  }

  void take(const std::string& item, const JsonValue& response, const Place& place) {
    const auto status = response.find("status"), user = response.find("user_id"),
               value = response.find("value");
    const std::string state = status ? status->plain() : "";
    if (!state.empty() && state != "submitted" && !file_.options.all_annotators)
      return file_.sink.leave_out();
    const std::string who = user ? user->plain() : "";
    file_.sink.annotate(item, who.empty() ? file_.annotator : who, place);
    if (value)
      cutter_.cut(value->plain(), place, [&](std::string_view label) { file_.sink.tick(label); });
  }

  const AnnotationFile& file_;
  std::string question_;
  std::set<std::string> questions_;  // all that were met
  LabelCutter cutter_;
  JsonParser parser_;
};

}  // namespace

void read_argilla_records(const AnnotationFile& file) {
  ArgillaRecords(file).read();
}

}  // namespace sieve
