#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "data/ticks/label_lists.h"
#include "data/ticks/tick_formats.h"

namespace sieve {

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
  TaskAnswers(const TickFile& file, std::size_t column, const std::string& asked_for);

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
  void choose(const TickFile& file, const Questions& questions);
  void choose_named(const TickFile& file, const Questions& questions, const std::string& asked_for);
  void refuse_other_question(std::string_view name, Kind kind, const Place& place) const;
  void take(std::string_view name, const JsonValue& answer, const Place& place,
            const LabelVisit& visit) const;

  JsonParser parser_;
  std::set<std::string, std::less<>> chosen_;
  bool check_boxes_ = false;  // all of them are chosen, also those that come later
  bool named_ = false;        // by the user
  bool several_ = false;      // groups: labels are named "group/label"
};

}  // namespace sieve
