#include "report/crowd_report.h"

#include <fmt/format.h>

#include "report/pages.h"

namespace sieve {
namespace {

// As text, as members of the JSON, and as a page.
struct Findings {
  std::string text;
  Json::Members json;
  std::string page;
};

Findings compared(const Dataset& data, const AnnotatorComparison& all, std::size_t most) {
  const CrowdFindings& found = all.found;
  const Rendered rendered = render_annotators(data, found, all.order, most, all.details);
  Findings findings{rendered.text,
                    {{"held_out_error", found.check.error}, {"annotators", rendered.json}},
                    annotators_page(data, found, all.ticked, all.details)};
  if (!found.alike.empty()) {
    const Rendered alike = render_alike(*data.votes, found.alike);
    findings.text += alike.text;
    findings.json.emplace_back("alike", alike.json);
  }
  if (found.groups > 1) {
    findings.text +=
        fmt::format("{} groups of annotators never met: rates of one and another do not compare\n",
                    found.groups);
    findings.json.emplace_back("separate_groups", found.groups);
  }
  return findings;
}

Findings not_compared(const Dataset& data, const std::string& why, std::size_t most) {
  const Rendered rendered = render_uncompared_annotators(*data.votes, why, most);
  return {rendered.text,
          {{"names_ignored", why}, {"annotators", rendered.json}},
          uncompared_annotators_page(data, why)};
}

}  // namespace

AnnotatorReport report_annotators(const Dataset& data, std::size_t most, ThreadPool& pool) {
  const AnnotatorComparison all = compare_annotators(data, most, pool);
  Findings found = all.names_ignored.empty() ? compared(data, all, most)
                                             : not_compared(data, all.names_ignored, most);
  Json::Members json = {{"rows", data.rows()},
                        {"labels", data.labels()},
                        {"annotations", data.votes->annotations()},
                        {"ticks", data.votes->ticks()}};
  json.insert(json.end(), found.json.begin(), found.json.end());
  return {{std::move(found.text), with_earlier_names(json)}, std::move(found.page)};
}

QuestionReport report_questions(const Dataset& data, AskFor what, std::size_t budget,
                                std::size_t top, ThreadPool& pool) {
  NextQuestions next = next_questions(data, what, budget, pool);
  Rendered rendered = next.names_ignored.empty()
                          ? render_questions(data, next.questions, what, top)
                          : render_overlap_wanted(data, next.questions, next.names_ignored, top);
  return {std::move(next.questions), std::move(rendered)};
}

}  // namespace sieve
