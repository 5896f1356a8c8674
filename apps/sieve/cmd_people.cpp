#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/observation.h"
#include "reading.h"
#include "report/told.h"
#include "verbs.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_ticked(arguments, arguments.words(), pool, notes);
  if (!data.votes) throw usage_error("nothing says who ticked what", "give the ticks with --ticks");
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  const HeldOutCheck check = check_by_held_out_people(model, view, pool);
  const Told told =
      tell_people(*data.votes, person_qualities(model, view, pool), check, arguments.count("top"));
  return {.text = fmt::format("{} rows, {} labels, {} people, {} looks, {} ticks\n\n", data.rows(),
                              data.labels(), data.votes->people().size(), data.votes->looks(),
                              data.votes->ticks()) +
                  told.text,
          .json = Json::object({{"rows", data.rows()},
                                {"labels", data.labels()},
                                {"looks", data.votes->looks()},
                                {"ticks", data.votes->ticks()},
                                {"held_out_error", check.error},
                                {"people", told.json}}),
          .notes = std::move(notes)};
}

}  // namespace

Verb people_verb() {
  Verb verb{.name = "people",
            .summary = "show how far to trust each person who ticked",
            .arguments = "[IN...]",
            .least_words = 1,
            .most_words = 1000,
            .details =
                "Needs --ticks; no data besides. How much of the right labels each person finds\n"
                "and how often they tick wrong ones is learnt from what all of them ticked.",
            .example = "sieve people --ticks ticks.csv",
            .run = run};
  verb.options = {integer("top", "how many people to show", 0, 1e9, "30")};
  for (const auto& more : {reading_options("candidates"), ticks_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
