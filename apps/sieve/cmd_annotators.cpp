#include <fmt/format.h>

#include "base/format_text.h"
#include "reading.h"
#include "report/rendered.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  if (arguments.has("report")) check_writable(arguments, arguments.text("report"));
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_votes(arguments, pool, notes);
  const AnnotatorReport found = report_annotators(data, arguments.count("top"), pool);
  const std::string text = fmt::format("{}, {}, {}, {}, {}\n\n", count_text(data.rows(), "row"),
                                       count_text(data.labels(), "label"),
                                       count_text(data.votes->annotators().size(), "annotator"),
                                       count_text(data.votes->annotations(), "annotation"),
                                       count_text(data.votes->ticks(), "tick")) +
                           found.rendered.text + write_page(arguments, "report", found.page);
  return {.text = text, .json = found.rendered.json, .notes = std::move(notes)};
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
  const std::vector<Option> reading = vote_reading_options();
  verb.options.insert(verb.options.end(), reading.begin(), reading.end());
  return verb;
}

}  // namespace sieve
