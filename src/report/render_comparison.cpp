#include "report/comparison_document.h"
#include "report/rendered.h"

namespace sieve {

Rendered render_comparison(const Comparison& comparison, ComparisonForm form) {
  Rendered rendered{{}, comparison_json(comparison)};
  switch (form) {
    case ComparisonForm::Text:
      rendered.text = as_text(comparison_document(comparison));
      break;
    case ComparisonForm::Markdown:
      rendered.text = as_markdown(comparison_document(comparison));
      break;
    case ComparisonForm::Latex:
      rendered.text = as_latex(comparison_document(comparison));
      break;
    case ComparisonForm::Csv:
      rendered.text = comparison_csv(comparison);
      break;
    case ComparisonForm::Json:
      rendered.text = rendered.json.text() + "\n";
      break;
  }
  return rendered;
}

}  // namespace sieve
