#pragma once

#include <string>
#include <vector>

#include "report/rendered.h"

// What votes alone say of annotators and of what to annotate next, from the votes to the rendering:
// for the command, C and Python.
namespace sieve {

// How far to trust each annotator, the first `most` with details. The page is an HTML file.
struct AnnotatorReport {
  Rendered rendered;
  std::string page;
};
AnnotatorReport report_annotators(const Dataset& data, std::size_t most, ThreadPool& pool);

// What to ask next, `top` of it in the text.
struct QuestionReport {
  std::vector<Question> questions;
  Rendered rendered;
};
QuestionReport report_questions(const Dataset& data, AskFor what, std::size_t budget,
                                std::size_t top, ThreadPool& pool);

}  // namespace sieve
