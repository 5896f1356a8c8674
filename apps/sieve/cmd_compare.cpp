#include <optional>

#include "experiment/results_file.h"
#include "report/rendered.h"
#include "verbs.h"

namespace sieve {
namespace {

ComparisonForm form_of(const std::string& name) {
  using Form = ComparisonForm;
  static const std::map<std::string, Form> forms = {{"text", Form::Text},
                                                    {"markdown", Form::Markdown},
                                                    {"latex", Form::Latex},
                                                    {"csv", Form::Csv},
                                                    {"json", Form::Json}};
  return forms.at(name);
}

Report run(const Arguments& arguments) {
  const StoredResults stored = read_results(arguments.words().front());
  if (arguments.text("to") == "results") {
    std::vector<std::string> left_out;
    const StoredResults current = current_results(stored, left_out);
    Report report{.text =
                      results_csv(current, select_tasks(current.tasks, arguments.list("only")))};
    for (const std::string& line : left_out) report.notes.push_back("left out: " + line);
    return report;
  }
  const CompareOptions options{.only = arguments.list("only"),
                               .measures = arguments.list("measures"),
                               .control = arguments.text("control")};
  const Comparison comparison = compare(stored, options);
  std::optional<Comparison> before;
  if (arguments.has("before"))
    before = compare(read_results(arguments.text("before")), {.measures = options.measures});
  const Rendered rendered =
      render_comparison(comparison, form_of(arguments.text("to")), before ? &*before : nullptr);
  return {.text = rendered.text, .json = rendered.json};
}

}  // namespace

Verb compare_verb() {
  Verb verb{
      .name = "compare",
      .summary = "tables and tests over the results of an experiment",
      .arguments = "RESULTS",
      .least_words = 1,
      .most_words = 1,
      .details =
          "RESULTS is the store of an experiment, or a file that --to results wrote.\n"
          "Mean and standard deviation with the best marked, ranks, t-tests of one method\n"
          "against the others, Friedman's test, and beside them the figures of the PML-GAN\n"
          "paper. Only complete results (all repeats done) are compared; the others are listed.",
      .example = "sieve compare quick.db --to markdown",
      .run = run};
  verb.options = {
      choice("to", {"text", "markdown", "latex", "csv", "json", "results"},
             "how to print it; results: a line per task, to keep", "text"),
      path("before", "earlier results: show what moved by more than a standard error"),
      text("only", "WORDS", "what to compare, as in sieve experiment"),
      text("measures", "LIST", "measures to show (default: those of the plan)"),
      text("control", "METHOD", "reference method for the t-tests (default: the first)")};
  return verb;
}

}  // namespace sieve
