#include <algorithm>
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
  return fmt::format("{} ({} to {})", percent_text(rate.value), percent_text(rate.low),
                     percent_text(rate.high));
}

std::string table_text(const Votes& votes, std::span<const PersonQuality> people,
                       std::span<const std::size_t> shown) {
  TextTable table({"person", "rows", "ticks", "finds of the right labels",
                   "ticks of the wrong ones", "agrees", ""},
                  {Align::Left, Align::Right, Align::Right, Align::Right, Align::Right,
                   Align::Right, Align::Left});
  for (const std::size_t p : shown)
    table.add({shortened(votes.people()[p], 30), std::to_string(people[p].looks),
               std::to_string(people[p].ticks), rate_text(people[p].sensitivity),
               rate_text(people[p].false_ticks), percent_text(people[p].agreement),
               people[p].guesses ? "seems to guess" : ""});
  return table.text();
}

}  // namespace

Told tell_people(const Votes& votes, std::span<const PersonQuality> people,
                 const HeldOutCheck& check, std::size_t most) {
  std::vector<std::size_t> order(people.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t p) { return people[p].looks; });
  std::vector<Json> rows;
  for (const std::size_t p : order)
    rows.push_back(Json::object({{"person", votes.people()[p]},
                                 {"rows", people[p].looks},
                                 {"ticks", people[p].ticks},
                                 {"sensitivity", rate_json(people[p].sensitivity)},
                                 {"false_ticks", rate_json(people[p].false_ticks)},
                                 {"agreement", people[p].agreement},
                                 {"guesses", people[p].guesses}}));
  const std::size_t shown = std::min(order.size(), most);
  std::string text =
      fmt::format("people, those who looked at most rows first{}\n",
                  shown == order.size() ? "" : fmt::format(" ({} more)", order.size() - shown));
  text += table_text(votes, people, std::span(order).first(shown));
  text += fmt::format(
      "rates with 90 % intervals; votes of a person who is left out come true as often as the\n"
      "others' votes claim, to within {} on average\n",
      percent_text(check.error));
  return {text, Json::array(rows)};
}

}  // namespace sieve
