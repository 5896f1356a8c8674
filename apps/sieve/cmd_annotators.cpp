#include <algorithm>

#include <fmt/format.h>

#include "base/format_text.h"
#include "labelsieve/crowd.h"
#include "reading.h"
#include "report/pages.h"
#include "report/rendered.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

std::vector<AnnotatorDetails> details_of(const CrowdModel& model, const CrowdView& view,
                                         std::span<const AnnotatorQuality> annotators,
                                         std::size_t most, ThreadPool& pool) {
  const std::vector<std::size_t> order = by_annotations(annotators);
  std::vector<AnnotatorDetails> details(std::min(most, order.size()));
  pool.for_each(details.size(), [&](std::size_t k) {
    details[k] = {worst_ticks(model, view, order[k]), confusions(model, view, order[k])};
  });
  return details;
}

// Findings about annotators as text, as members of the JSON, and as a page.
struct Findings {
  std::string text;
  Json::Members json;
  std::string page;
};

Findings compared(const Dataset& data, std::size_t most, ThreadPool& pool) {
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  const CrowdFindings found{{},
                            annotator_qualities(model, view, pool),
                            {},
                            check_by_held_out_annotators(model, view, pool)};
  const std::vector<AnnotatorDetails> details =
      details_of(model, view, found.annotators, most, pool);
  const Rendered rendered = render_annotators(data, found, most, details);
  return {rendered.text,
          {{"held_out_error", found.check.error}, {"annotators", rendered.json}},
          annotators_page(data, found, details)};
}

Findings not_compared(const Dataset& data, const std::string& why, std::size_t most) {
  const Rendered rendered = render_uncompared_annotators(*data.votes, why, most);
  return {rendered.text,
          {{"names_ignored", why}, {"annotators", rendered.json}},
          uncompared_annotators_page(data, why)};
}

Report run(const Arguments& arguments) {
  const std::string& page = arguments.text("report");
  if (!page.empty()) check_writable(arguments, page);
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_ticked(arguments, arguments.words(), pool, notes);
  if (!data.votes)
    throw usage_error("nothing says who ticked what", "give the annotations with --annotations");
  const std::string why = why_names_are_ignored(*data.votes);
  const std::size_t most = arguments.count("top");
  const Findings found = why.empty() ? compared(data, most, pool) : not_compared(data, why, most);
  std::string text = fmt::format("{} rows, {} labels, {} annotators, {} annotations, {} ticks\n\n",
                                 data.rows(), data.labels(), data.votes->annotators().size(),
                                 data.votes->annotations(), data.votes->ticks()) +
                     found.text;
  if (!page.empty()) {
    AtomicFile file(FileSystem::real(), page, if_exists(arguments));
    file.write(found.page);
    file.commit();
    text += fmt::format("\nwrote {}\n", page);
  }
  Json::Members json = {{"rows", data.rows()},
                        {"labels", data.labels()},
                        {"annotations", data.votes->annotations()},
                        {"ticks", data.votes->ticks()}};
  json.insert(json.end(), found.json.begin(), found.json.end());
  return {.text = text, .json = with_earlier_names(json), .notes = std::move(notes)};
}

}  // namespace

Verb annotators_verb() {
  Verb verb{
      .name = "annotators",
      .summary = "show how far to trust each annotator",
      .arguments = "[IN...]",
      .least_words = 1,
      .most_words = 1000,
      .details =
          "Needs --annotations and no other data. What share of the right labels each\n"
          "annotator finds, and how often they tick wrong ones, is learnt from what all of them\n"
          "ticked. The report and --json also have each annotator's ten worst ticks and the\n"
          "labels they confuse. Where too few rows have two annotations to compare\n"
          "annotators, there are no such figures.",
      .example = "sieve annotators --annotations annotations.csv",
      .run = run,
      .aliases = {"people"}};
  verb.options = {integer("top", "how many annotators to show", 0, 1e9, "30"),
                  path("report", "write an HTML page here"), force_option()};
  for (const auto& more : {reading_options("candidates"), annotation_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
