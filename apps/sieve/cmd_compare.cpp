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
  const Comparison comparison =
      compare(read_results(arguments.words().front()), {.only = arguments.list("only"),
                                                        .measures = arguments.list("measures"),
                                                        .control = arguments.text("control")});
  const Rendered rendered = render_comparison(comparison, form_of(arguments.text("to")));
  return {.text = rendered.text, .json = rendered.json};
}

}  // namespace

Verb compare_verb() {
  Verb verb{
      .name = "compare",
      .summary = "tables and tests over the results of an experiment",
      .arguments = "STORE",
      .least_words = 1,
      .most_words = 1,
      .details =
          "Mean and standard deviation with the best marked, ranks, t-tests of one method\n"
          "against the others, Friedman's test, and beside them the figures of the PML-GAN\n"
          "paper. Only complete results (all repeats done) are compared; the others are listed.",
      .example = "sieve compare quick.db --to markdown",
      .run = run};
  verb.options = {
      choice("to", {"text", "markdown", "latex", "csv", "json"}, "how to print it", "text"),
      text("only", "WORDS", "what to compare, as in sieve experiment"),
      text("measures", "LIST", "measures to show (default: those of the plan)"),
      text("control", "METHOD", "reference method for the t-tests (default: the first)")};
  return verb;
}

}  // namespace sieve
