#include <algorithm>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/observation.h"
#include "reading.h"
#include "report/pages.h"
#include "report/told.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

std::vector<PersonDetails> details_of(const CrowdModel& model, const CrowdView& view,
                                      std::span<const PersonQuality> people, std::size_t most,
                                      ThreadPool& pool) {
  const std::vector<std::size_t> order = by_looks(people);
  std::vector<PersonDetails> details(std::min(most, order.size()));
  pool.for_each(details.size(), [&](std::size_t k) {
    details[k] = {worst_ticks(model, view, order[k]), confusions(model, view, order[k])};
  });
  return details;
}

Report run(const Arguments& arguments) {
  const std::string& page = arguments.text("report");
  if (!page.empty()) check_writable(page, if_exists(arguments));
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_ticked(arguments, arguments.words(), pool, notes);
  if (!data.votes) throw usage_error("nothing says who ticked what", "give the ticks with --ticks");
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  const CrowdFindings found{
      {}, person_qualities(model, view, pool), {}, check_by_held_out_people(model, view, pool)};
  const std::size_t most = arguments.count("top");
  const std::vector<PersonDetails> details = details_of(model, view, found.people, most, pool);
  const Told told = tell_people(data, found.people, found.check, most, details);
  std::string text = fmt::format("{} rows, {} labels, {} people, {} looks, {} ticks\n\n",
                                 data.rows(), data.labels(), data.votes->people().size(),
                                 data.votes->looks(), data.votes->ticks()) +
                     told.text;
  if (!page.empty()) {
    AtomicFile file(FileSystem::real(), page, if_exists(arguments));
    file.write(people_page(data, found, details));
    file.commit();
    text += fmt::format("\nwrote {}\n", page);
  }
  return {.text = text,
          .json = Json::object({{"rows", data.rows()},
                                {"labels", data.labels()},
                                {"looks", data.votes->looks()},
                                {"ticks", data.votes->ticks()},
                                {"held_out_error", found.check.error},
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
                "Needs --ticks and no other data. What share of the right labels each person\n"
                "finds, and how often they tick wrong ones, is learnt from what all of them\n"
                "ticked. The report and --json also have each person's ten worst ticks and the\n"
                "labels they confuse.",
            .example = "sieve people --ticks ticks.csv",
            .run = run};
  verb.options = {integer("top", "how many people to show", 0, 1e9, "30"),
                  path("report", "write an HTML page here"), force_option()};
  for (const auto& more : {reading_options("candidates"), ticks_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
