// Annotators by their votes alone: how they compare, and what to ask next.
#include <algorithm>
#include <functional>
#include <numeric>

#include "labelsieve/pipeline.h"

namespace sieve {

std::vector<TickedWrong> wrong_ticks(const Votes& votes, const CandidateScores& probabilities) {
  std::vector<TickedWrong> annotators(votes.annotators().size());
  for (std::size_t row = 0; row < votes.rows(); ++row)
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation)
      for (const std::uint32_t label : votes.ticked(annotation)) {
        TickedWrong& one = annotators[votes.annotator(annotation)];
        ++one.ticks;
        one.wrong += 1 - double{probabilities(row, label)};
      }
  return annotators;
}

std::vector<std::size_t> most_wrong_first(std::span<const TickedWrong> annotators) {
  std::vector<std::size_t> order(annotators.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t k) { return annotators[k].wrong; });
  return order;
}

AnnotatorComparison compare_annotators(const Dataset& data, std::size_t most, ThreadPool& pool) {
  AnnotatorComparison all;
  all.names_ignored = why_names_are_ignored(*data.votes);
  if (!all.names_ignored.empty()) return all;
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  const CrowdModel model = fit_crowd(view, pool);
  all.found.annotators = annotator_qualities(model, view, pool);
  all.found.check = check_by_held_out_annotators(model, view, pool);
  all.found.alike.assign(model.alike().begin(), model.alike().end());
  all.found.groups = overlap_of(*data.votes).groups;
  all.ticked =
      wrong_ticks(*data.votes, crowd_candidate_probabilities(model, view, data.candidates, pool));
  all.order = most_wrong_first(all.ticked);
  all.details.resize(std::min(most, all.order.size()));
  pool.for_each(all.details.size(), [&](std::size_t k) {
    all.details[k] = {worst_ticks(model, view, all.order[k]),
                      confusions(model, view, all.order[k])};
  });
  return all;
}

NextQuestions next_questions(const Dataset& data, AskFor what, std::size_t budget,
                             ThreadPool& pool) {
  std::string ignored = why_names_are_ignored(*data.votes);
  if (!ignored.empty()) return {ask_for_overlap(*data.votes, budget), std::move(ignored)};
  const CrowdView view{data.votes.get(), data.labels(), nullptr};
  return {ask_next(fit_crowd(view, pool), view, what, budget, pool), {}};
}

}  // namespace sieve
