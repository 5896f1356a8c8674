#include "report/comparison_document.h"
#include "report/told.h"

namespace sieve {

Told tell_comparison(const Comparison& comparison, ComparisonForm form) {
  Told told{{}, comparison_json(comparison)};
  switch (form) {
    case ComparisonForm::Text:
      told.text = as_text(comparison_document(comparison));
      break;
    case ComparisonForm::Markdown:
      told.text = as_markdown(comparison_document(comparison));
      break;
    case ComparisonForm::Latex:
      told.text = as_latex(comparison_document(comparison));
      break;
    case ComparisonForm::Csv:
      told.text = comparison_csv(comparison);
      break;
    case ComparisonForm::Json:
      told.text = told.json.text() + "\n";
      break;
  }
  return told;
}

}  // namespace sieve
