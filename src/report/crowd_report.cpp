#include "report/crowd_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "labelsieve/crowd.h"
#include "report/headlines.h"
#include "report/pages.h"

namespace sieve {
namespace {

std::vector<AnnotatorDetails> details_of(const CrowdModel& model, const CrowdView& view,
                                         std::span<const std::size_t> order, std::size_t most,
                                         ThreadPool& pool) {
  std::vector<AnnotatorDetails> details(std::min(most, order.size()));
  pool.for_each(details.size(), [&](std::size_t k) {
    details[k] = {worst_ticks(model, view, order[k]), confusions(model, view, order[k])};
  });
  return details;
}

// As text, as members of the JSON, and as a page.
struct Findings {
  std::string text;
  Json::Members json;
  std::string page;
};

Findings compared(const Dataset& data, std::size_t most, ThreadPool& pool) {
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  const CrowdFindings found{{},
                            annotator_qualities(model, view, pool),
                            {},
                            check_by_held_out_annotators(model, view, pool)};
  const std::vector<TickedWrong> ticked =
      wrong_ticks(*data.votes, crowd_candidate_probabilities(model, view, data.candidates, pool));
  const std::vector<std::size_t> order = most_wrong_first(ticked);
  const std::vector<AnnotatorDetails> details = details_of(model, view, order, most, pool);
  const Rendered rendered = render_annotators(data, found, order, most, details);
  Findings findings{rendered.text,
                    {{"held_out_error", found.check.error}, {"annotators", rendered.json}},
                    annotators_page(data, found, ticked, details)};
  if (!model.alike().empty()) {
    const Rendered alike = render_alike(*data.votes, model.alike());
    findings.text += alike.text;
    findings.json.emplace_back("alike", alike.json);
  }
  if (const std::size_t groups = overlap_of(*data.votes).groups; groups > 1) {
    findings.text += fmt::format(
        "{} groups of annotators never met: rates of one and another do not compare\n", groups);
    findings.json.emplace_back("separate_groups", groups);
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
  const std::string why = why_names_are_ignored(*data.votes);
  Findings found = why.empty() ? compared(data, most, pool) : not_compared(data, why, most);
  Json::Members json = {{"rows", data.rows()},
                        {"labels", data.labels()},
                        {"annotations", data.votes->annotations()},
                        {"ticks", data.votes->ticks()}};
  json.insert(json.end(), found.json.begin(), found.json.end());
  return {{std::move(found.text), with_earlier_names(json)}, std::move(found.page)};
}

QuestionReport report_questions(const Dataset& data, AskFor what, std::size_t budget,
                                std::size_t top, ThreadPool& pool) {
  const std::string ignored = why_names_are_ignored(*data.votes);
  if (!ignored.empty()) {
    std::vector<Question> questions = ask_for_overlap(*data.votes, budget);
    Rendered rendered = render_overlap_wanted(data, questions, ignored, top);
    return {std::move(questions), std::move(rendered)};
  }
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  std::vector<Question> questions = ask_next(fit_crowd(view, pool), view, what, budget, pool);
  Rendered rendered = render_questions(data, questions, what, top);
  return {std::move(questions), std::move(rendered)};
}

}  // namespace sieve
