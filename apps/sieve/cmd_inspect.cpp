#include <optional>

#include "labelsieve/crowd.h"
#include "labelsieve/dataset.h"
#include "reading.h"
#include "report/rendered.h"
#include "terminal.h"
#include "verbs.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_ticked(arguments, arguments.words(), pool, notes);
  const DatasetSummary summary = summarise(data);
  const std::vector<std::string> warnings = warnings_of(summary);

  std::optional<Agreement> agreement;
  if (data.votes) agreement = measure_agreement(*data.votes, data.labels(), pool, {.resamples = 0});

  const Rendered rendered =
      render_dataset(summary, warnings, terminal_width(), agreement ? &*agreement : nullptr);

  Report report{
      .text = bold(shape_text(data.shape())) + "  rows x features x labels\n\n" + rendered.text,
      .json = rendered.json,
      .notes = std::move(notes)};
  if (!warnings.empty()) report.text += "\n" + warning_colour("warnings") + "\n";
  for (const std::string& warning : warnings) report.text += "  " + warning + "\n";
  if (data.recipe)
    for (std::string& note : notes_on(*data.recipe)) report.notes.push_back(std::move(note));
  return report;
}

}  // namespace

Verb inspect_verb() {
  Verb verb{.name = "inspect",
            .summary = "show what is in a data set and what may be wrong with it",
            .arguments = "PATH...",
            .least_words = 1,
            .most_words = 1000,
            .details =
                "PATH is a file, a folder with one data set, or several files of one set\n"
                "(train and test, or features and labels); - is standard input.\n"
                "With --annotations alone, the annotated items are the rows.",
            .example = "sieve inspect scene-train.arff scene-test.arff --xml scene.xml",
            .run = run};
  for (const auto& more : {reading_options("candidates"), annotation_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
