#pragma once

#include <cstddef>

#include "crowd/crowd_members.h"

namespace sieve {

// Calls visit(annotation, annotator, label, ticked) for each vote of a row.
template <class Visit>
void for_each_vote(const Votes& votes, std::size_t row, std::size_t labels, const Visit& visit) {
  for (std::size_t annotation = votes.first_annotation(row);
       annotation < votes.first_annotation(row + 1); ++annotation) {
    const auto ticked = votes.ticked(annotation);
    std::size_t next = 0;
    for (std::size_t l = 0; l < labels; ++l) {
      const bool tick = next < ticked.size() && ticked[next] == l;
      next += tick ? 1 : 0;
      if (votes.speaks_of(annotation, static_cast<std::uint32_t>(l)))
        visit(annotation, votes.annotator(annotation), l, tick);
    }
  }
}

// The votes of a row one by one, each with what the others of the row say. One for each thread.
class RowVotes {
 public:
  RowVotes(const CrowdModel& model, const CrowdView& view)
      : model_(model), view_(view), at_(model, view) {}

  struct Vote {
    std::size_t annotator, label;
    bool ticked;
    double sensitivity, false_positive_rate;  // of the annotator
    double others;                            // how likely the label is right by all other votes
    double tick;                              // how likely they make this tick
  };
  // `predicted` false: tick is by the coins alone, which is quicker.
  template <class Visit>
  void for_each(std::size_t row, Visit&& visit, bool predicted = false) {
    const Votes& votes = *view_.votes;
    if (votes.annotations(row) == 0) return;
    at_.go_to(row);
    for_each_vote(votes, row, view_.labels,
                  [&](std::size_t annotation, std::size_t annotator, std::size_t l, bool tick) {
                    const CrowdRow::HeldOut held = at_.held_out(annotation, l, tick, predicted);
                    const double with = model_.weights(l).strength;
                    visit(Vote{annotator, l, tick, at_.sensitivity(annotator, l),
                               at_.false_positive_rate(annotator, l), held.right,
                               predicted ? (1 - with) * held.strength + with * held.strength_with
                                         : held.coins});
                  });
  }

 private:
  const CrowdModel& model_;
  CrowdView view_;
  CrowdRow at_;
};

// How much a vote, given those of the others, tells about the log-odds of its annotator's rates
// (Fisher's information).
// By the rates s and f of the annotator, where the others say that the label is right with the
// probability q; and how much it tells about the log-odds of q.
struct VoteInformation {
  double about_sensitivity, about_false_positive_rate, about_label;
};
inline VoteInformation information_of(double q, double s, double f) {
  const double tick = kept_inside(q * s + (1 - q) * f), certainty = 1 / (tick * (1 - tick));
  const double by_s = q * s * (1 - s), by_f = (1 - q) * f * (1 - f), by_q = q * (1 - q) * (s - f);
  return {by_s * by_s * certainty, by_f * by_f * certainty, by_q * by_q * certainty};
}

}  // namespace sieve
