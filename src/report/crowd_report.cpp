#include "report/rendered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "base/format_text.h"
#include "base/table.h"
#include "claims/claim_json.h"
#include "labelsieve/options.h"
#include "report/pages.h"

namespace sieve {
namespace {

std::string table_text(const Votes& votes, const CrowdFindings& crowd,
                       std::span<const std::size_t> shown) {
  const std::span<const AnnotatorQuality> annotators = crowd.annotators;
  TextTable table(
      {"annotator", "rows", "ticks", "right labels found", "wrong labels ticked", "agrees", ""},
      {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
       Align::Left});
  for (const std::size_t p : shown) {
    const AnnotatorQuality& one = annotators[p];
    const AnnotatorClaims claims = annotator_claims(one, crowd.truth);
    const auto known = [&](const std::string& text) { return one.compared ? text : "-"; };
    table.add({shortened(votes.annotators()[p], 30), std::to_string(one.annotations),
               std::to_string(one.ticks), known(claim_text(claims.recall)),
               known(claim_text(claims.false_positive_rate)), known(percent_text(one.agreement)),
               votes.is_program(p) ? "program" : remark_on(one)});
  }
  return table.text();
}

Json::Members annotator_json(const Votes& votes, std::size_t p, const CrowdFindings& crowd) {
  const AnnotatorQuality& annotator = crowd.annotators[p];
  Json::Members json = {{"annotator", votes.annotators()[p]},
                        {"rows", annotator.annotations},
                        {"ticks", annotator.ticks}};
  if (!annotator.compared) {
    json.emplace_back("not_compared", remark_on(annotator));
    json.emplace_back("program", votes.is_program(p));
    return json;
  }
  const AnnotatorClaims claims = annotator_claims(annotator, crowd.truth);
  json.emplace_back("sensitivity", json_of(claims.recall));
  json.emplace_back("false_positive_rate", json_of(claims.false_positive_rate));
  json.emplace_back("agreement", annotator.agreement);
  json.emplace_back("guesses", annotator.guesses);
  json.emplace_back("program", votes.is_program(p));
  return json;
}

// What is most often ticked instead of what, by the first few annotators.
std::string confusions_text(const Dataset& data, std::span<const std::size_t> order,
                            std::span<const AnnotatorDetails> details) {
  constexpr double kOften = 1;
  TextTable table({"annotator", "ticks", "instead of", "expected"},
                  {Align::Left, Align::Left, Align::Left, Align::Right});
  std::size_t rows = 0;
  for (std::size_t k = 0; k < details.size(); ++k)
    if (!details[k].confused.empty() && details[k].confused.front().times >= kOften) {
      const Confusion& most = details[k].confused.front();
      table.add({shortened(data.votes->annotators()[order[k]], 30),
                 shortened(data.label_names[most.ticked], 30),
                 shortened(data.label_names[most.right], 30),
                 count_text(static_cast<std::size_t>(std::lround(most.times)), "time")});
      ++rows;
    }
  return rows == 0 ? ""
                   : "\nwhat each annotator most often confuses (guesses; no range is known)\n" +
                         table.text();
}

void add_details(Json::Members& annotator, const Dataset& data, const AnnotatorDetails& details) {
  std::vector<Json> worst, confused;
  for (const CellProbability& tick : details.worst) {
    Json::Members cell = {{"row", tick.row},
                          {"label", data.label_names[tick.label]},
                          {"probability", double{tick.probability}}};
    if (!data.ids.empty()) cell.emplace(cell.begin(), "id", data.ids[tick.row]);
    worst.push_back(with_earlier_names(cell));
  }
  for (const Confusion& pair : details.confused)
    confused.push_back(Json::object({{"ticked", data.label_names[pair.ticked]},
                                     {"right", data.label_names[pair.right]},
                                     {"times", pair.times}}));
  annotator.emplace_back("worst_ticks", Json::array(worst));
  annotator.emplace_back("confuses", Json::array(confused));
}

}  // namespace

std::string remark_on(const AnnotatorQuality& annotator) {
  if (!annotator.compared) return "too few rows with two annotations";
  return annotator.guesses ? "seems to guess" : "";
}

Rendered render_alike(const Votes& votes, std::span<const AlikePair> pairs) {
  constexpr std::size_t kShown = 3;
  const auto names = votes.annotators();
  std::string text;
  std::vector<Json> rows;
  for (const AlikePair& pair : pairs) {
    if (rows.size() < kShown)
      text += fmt::format("{} and {} agree more than their rates allow (correlation {})\n",
                          names[pair.a], names[pair.b], decimal_text(pair.correlation));
    rows.push_back(Json::object({{"a", names[pair.a]},
                                 {"b", names[pair.b]},
                                 {"rows", pair.rows},
                                 {"correlation", pair.correlation},
                                 {"discount", pair.discount}}));
  }
  if (rows.size() > kShown)
    text += fmt::format("{} more pairs of annotators do\n", rows.size() - kShown);
  text += fmt::format("if annotators copy each other or share a source: {} makes them count once\n",
                      term("ticks.groups"));
  return {text, Json::array(rows)};
}

Rendered render_annotators(const Dataset& data, const CrowdFindings& crowd,
                           std::span<const std::size_t> order, std::size_t most,
                           std::span<const AnnotatorDetails> details) {
  const Votes& votes = *data.votes;
  std::vector<Json> rows;
  for (std::size_t k = 0; k < order.size(); ++k) {
    Json::Members annotator = annotator_json(votes, order[k], crowd);
    if (k < details.size()) add_details(annotator, data, details[k]);
    rows.push_back(with_earlier_names(annotator));
  }
  const std::size_t shown = std::min(order.size(), most);
  std::string text =
      fmt::format("annotators, most wrong ticks first{}\n",
                  shown == order.size() ? "" : fmt::format(" ({} more)", order.size() - shown));
  text += table_text(votes, crowd, order.first(shown));
  text += fmt::format(
      "leaving one annotator out at a time, the others' votes predict how often that one ticks\n"
      "to within {} on average\n",
      percent_text(crowd.check.error));
  text += confusions_text(data, order, details);
  return {text, Json::array(rows)};
}

Rendered render_uncompared_annotators(const Votes& votes, const std::string& why,
                                      std::size_t most) {
  std::vector<AnnotatorSummary> annotators = summarise(votes).annotators;
  std::ranges::stable_sort(annotators, std::greater{}, &AnnotatorSummary::annotations);
  const std::size_t shown = std::min(annotators.size(), most);
  TextTable table({"annotator", "rows", "ticks"}, {Align::Left, Align::Right, Align::Right});
  for (const AnnotatorSummary& annotator : std::span(annotators).first(shown))
    table.add({shortened(annotator.name, 30), std::to_string(annotator.annotations),
               std::to_string(annotator.ticks)});
  std::vector<Json> rows;
  for (const AnnotatorSummary& annotator : annotators)
    rows.push_back(with_earlier_names({{"annotator", annotator.name},
                                       {"rows", annotator.annotations},
                                       {"ticks", annotator.ticks}}));
  return {
      fmt::format(
          "no rates of annotators: {}\n\n"
          "annotators, most active first{}\n{}",
          why,
          shown == annotators.size() ? "" : fmt::format(" ({} more)", annotators.size() - shown),
          table.text()),
      Json::array(rows)};
}

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

namespace {

// As text, as members of the JSON, and as a page.
struct Findings {
  std::string text;
  Json::Members json;
  std::string page;
};

Findings compared(const Dataset& data, const AnnotatorComparison& all, std::size_t most) {
  const CrowdFindings& found = all.found;
  const Rendered rendered = render_annotators(data, found, all.order, most, all.details);
  Findings findings{rendered.text,
                    {{"held_out_error", found.check.error}, {"annotators", rendered.json}},
                    annotators_page(data, found, all.ticked, all.details)};
  if (!found.alike.empty()) {
    const Rendered alike = render_alike(*data.votes, found.alike);
    findings.text += alike.text;
    findings.json.emplace_back("alike", alike.json);
  }
  if (found.groups > 1) {
    findings.text +=
        fmt::format("{} groups of annotators never met: rates of one and another do not compare\n",
                    found.groups);
    findings.json.emplace_back("separate_groups", found.groups);
  }
  return findings;
}

Findings not_compared(const Dataset& data, const std::string& why, std::size_t most) {
  const Rendered rendered = render_uncompared_annotators(*data.votes, why, most);
  return {rendered.text,
          {{"names_ignored", why}, {"annotators", rendered.json}},
          uncompared_annotators_page(data, why)};
}

}  // namespace

AnnotatorReport report_annotators(const Dataset& data, std::size_t most, ThreadPool& pool) {
  const AnnotatorComparison all = compare_annotators(data, most, pool);
  Findings found = all.names_ignored.empty() ? compared(data, all, most)
                                             : not_compared(data, all.names_ignored, most);
  Json::Members json = {{"rows", data.rows()},
                        {"labels", data.labels()},
                        {"annotations", data.votes->annotations()},
                        {"ticks", data.votes->ticks()}};
  json.insert(json.end(), found.json.begin(), found.json.end());
  return {{std::move(found.text), with_earlier_names(json)}, std::move(found.page)};
}

QuestionReport report_questions(const Dataset& data, AskFor what, std::size_t budget,
                                std::size_t top, ThreadPool& pool) {
  NextQuestions next = next_questions(data, what, budget, pool);
  Rendered rendered = next.names_ignored.empty()
                          ? render_questions(data, next.questions, what, top)
                          : render_overlap_wanted(data, next.questions, next.names_ignored, top);
  return {std::move(next.questions), std::move(rendered)};
}

}  // namespace sieve
