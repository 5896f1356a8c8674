#include <fmt/format.h>

#include "labelsieve/judging.h"
#include "reading.h"
#include "report/told.h"
#include "verbs.h"
#include "writing.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  const std::string& out = arguments.text("out");
  if (!out.empty()) check_writable(out, if_exists(arguments));
  ThreadPool pool(arguments.count("threads"));
  std::vector<std::string> notes;
  const Dataset data = read_ticked(arguments, arguments.words(), pool, notes);
  if (!data.votes) throw usage_error("nothing says who ticked what", "give the ticks with --ticks");
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  const AskFor what = arguments.text("about") == "rows" ? AskFor::Rows : AskFor::Cells;
  const std::vector<Question> questions =
      ask_next(model, view, what, arguments.count("budget"), pool);
  const Told told = tell_questions(data, questions, what, arguments.count("top"));
  Report report{.text = told.text, .json = told.json, .notes = std::move(notes)};
  if (!out.empty()) {
    FileSet set;
    write_questions(data, questions, set.add(FileSystem::real(), out, if_exists(arguments)));
    set.commit();
    report.text += fmt::format("\nwrote {}\n", out);
  }
  return report;
}

}  // namespace

Verb ask_verb() {
  Verb verb{.name = "ask",
            .summary = "list what to ask people next: where one more look helps most",
            .arguments = "[IN...]",
            .least_words = 1,
            .most_words = 1000,
            .details =
                "Needs --ticks and no other data. A row comes first where one more look of an\n"
                "average person is expected to correct the most wrong decisions.",
            .example = "sieve ask --ticks ticks.csv --budget 100 --out next.csv",
            .run = run};
  verb.options = {
      integer("budget", "number of looks you can afford", 1, 1e9, "100"),
      choice("about", {"rows", "cells"}, "ask about whole rows, or single labels", "rows"),
      path("out", "write the list here, as CSV"), integer("top", "how many to show", 0, 1e9, "20"),
      force_option()};
  for (const auto& more : {reading_options("candidates"), ticks_options(), {truth_option()}})
    verb.options.insert(verb.options.end(), more.begin(), more.end());
  return verb;
}

}  // namespace sieve
