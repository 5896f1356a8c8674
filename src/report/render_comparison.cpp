#include "report/comparison_document.h"
#include "report/rendered.h"

namespace sieve {
namespace {

Document document_of(const Comparison& comparison, const Comparison* before) {
  Document document = comparison_document(comparison);
  if (before != nullptr)
    document.tables.insert(document.tables.begin(), changes_table(*before, comparison));
  return document;
}

}  // namespace

Rendered render_comparison(const Comparison& comparison, ComparisonForm form,
                           const Comparison* before) {
  Rendered rendered{{}, comparison_json(comparison, before)};
  switch (form) {
    case ComparisonForm::Text:
      rendered.text = as_text(document_of(comparison, before));
      break;
    case ComparisonForm::Markdown:
      rendered.text = as_markdown(document_of(comparison, before));
      break;
    case ComparisonForm::Latex:
      rendered.text = as_latex(document_of(comparison, before));
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
