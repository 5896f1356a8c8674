#include <fmt/format.h>

#include "labelsieve/pipeline.h"
#include "reading.h"
#include "report/rendered.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  const std::string& out = arguments.text("out");
  if (!out.empty()) check_writable(arguments, out);
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_votes(arguments, pool, notes);
  const AskFor what = arguments.text("about") == "rows" ? AskFor::Rows : AskFor::Cells;
  const QuestionReport found =
      report_questions(data, what, arguments.count("budget"), arguments.count("top"), pool);
  Report report{
      .text = found.rendered.text, .json = found.rendered.json, .notes = std::move(notes)};
  if (!out.empty()) {
    FileSet set;
    write_questions(data, found.questions, set.add(FileSystem::real(), out, if_exists(arguments)));
    set.commit();
    report.text += fmt::format("\nwrote {}\n", out);
  }
  return report;
}

}  // namespace

Verb ask_verb() {
  Verb verb{
      .name = "ask",
      .summary = "list what to annotate next: where one more annotation helps most",
      .arguments = "[IN...]",
      .least_words = 1,
      .most_words = 1000,
      .details =
          "Needs --annotations and no other data. A row comes first where one more annotation\n"
          "by an average annotator is expected to correct the most wrong decisions. Where too few\n"
          "rows have two annotations to compare annotators, rows with one are listed.",
      .example = "sieve ask --annotations annotations.csv --budget 100 --out next.csv",
      .run = run};
  verb.options = {
      integer("budget", "number of annotations you can afford", 1, 1e9, "100"),
      choice("about", {"rows", "cells"}, "ask about whole rows, or single labels", "rows"),
      path("out", "write the list here, as CSV"), integer("top", "how many to show", 0, 1e9, "20"),
      force_option()};
  const std::vector<Option> reading = vote_reading_options();
  verb.options.insert(verb.options.end(), reading.begin(), reading.end());
  return verb;
}

}  // namespace sieve
