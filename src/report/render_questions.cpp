#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/table.h"
#include "report/rendered.h"

namespace sieve {
namespace {

std::string row_name(const Dataset& data, std::size_t row) {
  return data.ids.empty() ? std::to_string(row) : data.ids[row];
}

Json question_json(const Dataset& data, const Question& question) {
  Json::Members members = {
      {"row", question.row}, {"label", data.label_names[question.label]}, {"gain", question.gain}};
  if (!data.ids.empty()) members.emplace(members.begin(), "id", data.ids[question.row]);
  return Json::object(members);
}

}  // namespace

Rendered render_questions(const Dataset& data, std::span<const Question> questions, AskFor what,
                          std::size_t most) {
  const bool rows = what == AskFor::Rows;
  TextTable table(
      {data.ids.empty() ? "row" : "id", rows ? "most in doubt" : "label", "fewer wrong decisions"},
      {Align::Left, Align::Left, Align::Right});
  double gain = 0;
  for (const Question& question : questions) gain += question.gain;
  for (const Question& question : questions.first(std::min(most, questions.size())))
    table.add({shortened(row_name(data, question.row), 30),
               shortened(data.label_names[question.label], 30), probability_text(question.gain)});
  std::vector<Json> all;
  for (const Question& question : questions) all.push_back(question_json(data, question));
  const std::string counted = count_text(questions.size(), "more annotation");
  std::string text =
      questions.empty()
          ? "nothing to ask: one more annotation is not expected to change any decision\n"
          : fmt::format(
                "{}, each by an average annotator, {} expected to correct {:.1f} wrong decisions\n"
                "(a guess by the model of annotators; no range is known)\n\n{}",
                counted, questions.size() == 1 ? "is" : "are", gain, table.text());
  return {text, Json::object({{"gain", gain}, {"questions", Json::array(all)}})};
}

Rendered render_overlap_wanted(const Dataset& data, std::span<const Question> questions,
                               const std::string& why, std::size_t most) {
  const Votes& votes = *data.votes;
  const Overlap overlap = overlap_of(votes);
  TextTable table({data.ids.empty() ? "row" : "id", "annotated by"}, {Align::Left, Align::Left});
  for (const Question& question : questions.first(std::min(most, questions.size())))
    table.add(
        {shortened(row_name(data, question.row), 30),
         shortened(votes.annotators()[votes.annotator(votes.first_annotation(question.row))], 30)});
  std::vector<Json> all;
  for (const Question& question : questions) {
    Json::Members row = {{"row", question.row}};
    if (!data.ids.empty()) row.emplace(row.begin(), "id", data.ids[question.row]);
    all.push_back(Json::object(row));
  }
  const std::string wanted =
      "second annotations of " + count_text(overlap.rows_missing(), "more row");
  return {fmt::format("{}\n{} would allow it; begin with these, by somebody else each\n\n{}", why,
                      wanted, table.text()),
          Json::object({{"names_ignored", why}, {"questions", Json::array(all)}})};
}

}  // namespace sieve
