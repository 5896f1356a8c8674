#include "comparison_document.h"
#include "verbs.h"

namespace sieve {
namespace {

Report run(const Arguments& arguments) {
  const Comparison comparison =
      compare(read_results(arguments.words().front()), {.only = arguments.list("only"),
                                                        .measures = arguments.list("measures"),
                                                        .control = arguments.text("control")});
  Report report{.json = comparison_json(comparison)};
  const std::string& to = arguments.text("to");
  if (to == "json")
    report.text = report.json.text() + "\n";
  else if (to == "csv")
    report.text = comparison_csv(comparison);
  else if (to == "latex")
    report.text = as_latex(comparison_document(comparison));
  else if (to == "markdown")
    report.text = as_markdown(comparison_document(comparison));
  else
    report.text = as_text(comparison_document(comparison));
  return report;
}

}  // namespace

Verb compare_verb() {
  Verb verb{.name = "compare",
            .summary = "tables and tests over the results of an experiment",
            .arguments = "STORE",
            .least_words = 1,
            .most_words = 1,
            .details =
                "Mean and standard deviation with the best marked, ranks, t-tests of one method\n"
                "against the others, Friedman's test, and beside them the figures of the PML-GAN\n"
                "paper. Only what is done with all its repeats is compared; what is not is listed.",
            .example = "sieve compare quick.db --to markdown",
            .run = run};
  verb.options = {
      choice("to", {"text", "markdown", "latex", "csv", "json"}, "how to print it", "text"),
      text("only", "WORDS", "what to compare, as in sieve experiment"),
      text("measures", "LIST", "measures to show, else those of the plan"),
      text("control", "METHOD", "the method that the t-tests are about, else the first")};
  return verb;
}

}  // namespace sieve
