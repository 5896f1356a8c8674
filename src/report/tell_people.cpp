#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "base/format_text.h"
#include "base/table.h"
#include "report/told.h"

namespace sieve {
namespace {

Json rate_json(const Estimate& rate) {
  return Json::object({{"value", rate.value}, {"low", rate.low}, {"high", rate.high}});
}

std::string rate_text(const Estimate& rate) {
  return fmt::format("{} ({})", percent_text(rate.value), percent_range(rate.low, rate.high));
}

std::string table_text(const Votes& votes, std::span<const PersonQuality> people,
                       std::span<const std::size_t> shown) {
  TextTable table(
      {"person", "rows", "ticks", "right labels found", "wrong labels ticked", "agrees", ""},
      {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right,
       Align::Left});
  for (const std::size_t p : shown)
    table.add({shortened(votes.people()[p], 30), std::to_string(people[p].looks),
               std::to_string(people[p].ticks), rate_text(people[p].sensitivity),
               rate_text(people[p].false_ticks), percent_text(people[p].agreement),
               people[p].guesses ? "seems to guess" : ""});
  return table.text();
}

Json::Members person_json(const Votes& votes, std::size_t p, const PersonQuality& person) {
  return {{"person", votes.people()[p]},
          {"rows", person.looks},
          {"ticks", person.ticks},
          {"sensitivity", rate_json(person.sensitivity)},
          {"false_ticks", rate_json(person.false_ticks)},
          {"agreement", person.agreement},
          {"guesses", person.guesses}};
}

// What is most often ticked instead of what, by the first few people.
std::string confusions_text(const Dataset& data, std::span<const std::size_t> order,
                            std::span<const PersonDetails> details) {
  constexpr double kOften = 1;
  TextTable table({"person", "ticks", "instead of", "about"},
                  {Align::Left, Align::Left, Align::Left, Align::Right});
  std::size_t rows = 0;
  for (std::size_t k = 0; k < details.size(); ++k)
    if (!details[k].confused.empty() && details[k].confused.front().times >= kOften) {
      const Confusion& most = details[k].confused.front();
      table.add({shortened(data.votes->people()[order[k]], 30),
                 shortened(data.label_names[most.ticked], 30),
                 shortened(data.label_names[most.right], 30),
                 count_text(static_cast<std::size_t>(std::lround(most.times)), "time")});
      ++rows;
    }
  return rows == 0 ? "" : "\nwhat each person most often confuses\n" + table.text();
}

void add_details(Json::Members& person, const Dataset& data, const PersonDetails& details) {
  std::vector<Json> worst, confused;
  for (const CellBelief& tick : details.worst) {
    Json::Members cell = {{"row", tick.row},
                          {"label", data.label_names[tick.label]},
                          {"confidence", double{tick.probability}}};
    if (!data.ids.empty()) cell.emplace(cell.begin(), "id", data.ids[tick.row]);
    worst.push_back(Json::object(cell));
  }
  for (const Confusion& pair : details.confused)
    confused.push_back(Json::object({{"ticked", data.label_names[pair.ticked]},
                                     {"right", data.label_names[pair.right]},
                                     {"times", pair.times}}));
  person.emplace_back("worst_ticks", Json::array(worst));
  person.emplace_back("confuses", Json::array(confused));
}

}  // namespace

std::vector<std::size_t> by_looks(std::span<const PersonQuality> people) {
  std::vector<std::size_t> order(people.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t p) { return people[p].looks; });
  return order;
}

Told tell_people(const Dataset& data, std::span<const PersonQuality> people,
                 const HeldOutCheck& check, std::size_t most,
                 std::span<const PersonDetails> details) {
  const Votes& votes = *data.votes;
  const std::vector<std::size_t> order = by_looks(people);
  std::vector<Json> rows;
  for (std::size_t k = 0; k < order.size(); ++k) {
    Json::Members person = person_json(votes, order[k], people[order[k]]);
    if (k < details.size()) add_details(person, data, details[k]);
    rows.push_back(Json::object(person));
  }
  const std::size_t shown = std::min(order.size(), most);
  std::string text =
      fmt::format("people, those who looked at most rows first{}\n",
                  shown == order.size() ? "" : fmt::format(" ({} more)", order.size() - shown));
  text += table_text(votes, people, std::span(order).first(shown));
  text += fmt::format(
      "rates with 90 % intervals; leaving one person out at a time, the others' votes predict how\n"
      "often that person ticks to within {} on average\n",
      percent_text(check.error));
  text += confusions_text(data, order, details);
  return {text, Json::array(rows)};
}

Told tell_uncompared_people(const Votes& votes, const std::string& why, std::size_t most) {
  std::vector<PersonSummary> people = summarise(votes).people;
  std::ranges::stable_sort(people, std::greater{}, &PersonSummary::looks);
  const std::size_t shown = std::min(people.size(), most);
  TextTable table({"annotator", "rows", "ticks"}, {Align::Left, Align::Right, Align::Right});
  for (const PersonSummary& person : std::span(people).first(shown))
    table.add(
        {shortened(person.name, 30), std::to_string(person.looks), std::to_string(person.ticks)});
  std::vector<Json> rows;
  for (const PersonSummary& person : people)
    rows.push_back(
        Json::object({{"person", person.name}, {"rows", person.looks}, {"ticks", person.ticks}}));
  return {fmt::format(
              "no rates of annotators: {}\n\n"
              "annotators, those with most rows first{}\n{}",
              why, shown == people.size() ? "" : fmt::format(" ({} more)", people.size() - shown),
              table.text()),
          Json::array(rows)};
}

}  // namespace sieve
