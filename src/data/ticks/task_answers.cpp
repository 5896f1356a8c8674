#include "data/ticks/task_answers.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.h"
#include "data/csv/csv_cells.h"
#include "labelsieve/words.h"

namespace sieve {
namespace {

std::optional<bool> truth_of(const JsonValue& value) {
  const std::string json = value.text() ? "" : value.plain();
  if (json == "true") return true;
  if (json == "false") return false;
  return std::nullopt;
}

}  // namespace

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

TaskAnswers::TaskAnswers(const TickFile& file, std::size_t column, const std::string& asked_for) {
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
void TaskAnswers::choose(const TickFile& file, const Questions& questions) {
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

void TaskAnswers::choose_named(const TickFile& file, const Questions& questions,
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

}  // namespace sieve
