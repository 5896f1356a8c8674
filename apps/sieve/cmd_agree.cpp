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

Report run(const Arguments& arguments) {
  if (arguments.has("report")) check_writable(arguments, arguments.text("report"));
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_votes(arguments, pool, notes);
  const Agreement agreement =
      measure_agreement(*data.votes, data.labels(), pool,
                        {.seed = static_cast<std::uint64_t>(arguments.integer("seed")),
                         .resamples = arguments.count("resamples")});
  const Rendered rendered = render_agreement(data, agreement, arguments.count("top"));
  std::string text =
      fmt::format("{}, {}, {}, {}; {} {} two or more\n\n", count_text(agreement.rows, "row"),
                  count_text(data.labels(), "label"), count_text(agreement.annotators, "annotator"),
                  count_text(agreement.annotations, "annotation"),
                  count_text(agreement.shared_rows, "row"),
                  agreement.shared_rows == 1 ? "has" : "have") +
      rendered.text;
  if (arguments.has("report"))
    text += write_page(arguments, "report", agreement_page(data, agreement));
  return {.text = text, .json = rendered.json, .notes = std::move(notes)};
}

}  // namespace

Verb agree_verb() {
  Verb verb{
      .name = "agree",
      .summary = "measure how far annotators agree, as papers print it",
      .arguments = "[IN...]",
      .least_words = 1,
      .most_words = 1000,
      .details =
          "Needs --annotations and no other data. Krippendorff's alpha, Fleiss' kappa, Gwet's AC1\n"
          "and pairwise agreement of each label and of label sets (alpha also with MASI\n"
          "distance), with 90 % intervals from resampled rows. The report has a heat map of\n"
          "annotators in pairs; --json has all pairs.",
      .example = "sieve agree --annotations ticks.csv",
      .run = run};
  verb.options = {
      integer("top", "how many labels to show", 0, 1e9, "30"),
      integer("resamples", "drawings of rows for intervals; 0 for none", 0, 1e6, "1000"),
      seed_option(), path("report", "write an HTML page here"), force_option()};
  const std::vector<Option> reading = vote_reading_options();
  verb.options.insert(verb.options.end(), reading.begin(), reading.end());
  return verb;
}

}  // namespace sieve
