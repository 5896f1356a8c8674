#pragma once

#include <cstddef>
#include <vector>

#include "labelsieve/observation.h"
#include "observation/log_odds.h"

namespace sieve {

// The votes of a row one by one, each with what the others of the row say. One for each thread.
class RowVotes {
 public:
  RowVotes(const CrowdModel& model, const CrowdView& view)
      : model_(model), view_(view), odds_(view.labels) {}

  struct Vote {
    std::size_t person, label;
    bool ticked;
    double sensitivity, false_ticks;  // of the person
    double others;                    // how likely the label is right by all other votes

    double chance_of_tick() const {
      return kept_inside(others * sensitivity + (1 - others) * false_ticks);
    }
  };
  // Of the look's own person only the vote for the very label is left out: quick, and near enough
  // for sums over many.
  template <class Visit>
  void for_each(std::size_t row, Visit&& visit) {
    const Votes& votes = *view_.votes;
    if (votes.looks(row) == 0) return;
    model_.log_odds(view_, row, odds_);
    for (std::size_t look = votes.first_look(row); look < votes.first_look(row + 1); ++look)
      for_each_label(look, [&](Vote vote) {
        const float own =
            (vote.ticked ? model_.if_ticked_ : model_.if_passed_)(vote.person, vote.label);
        vote.others = kept_inside(probability_of(
            odds_[vote.label] - model_.weights_[vote.label].votes * static_cast<double>(own)));
        visit(vote);
      });
  }
  // All that the look's person said about the row is left out.
  template <class Visit>
  void for_each_held_out(std::size_t row, Visit&& visit) {
    const Votes& votes = *view_.votes;
    for (std::size_t look = votes.first_look(row); look < votes.first_look(row + 1); ++look) {
      model_.log_odds(view_, row, odds_, look);
      for_each_label(look, [&](Vote vote) {
        vote.others = kept_inside(probability_of(static_cast<double>(odds_[vote.label])));
        visit(vote);
      });
    }
  }

 private:
  template <class Visit>
  void for_each_label(std::size_t look, Visit&& visit) const {
    const std::size_t person = view_.votes->person(look);
    const auto ticked = view_.votes->ticked(look);
    std::size_t next = 0;
    for (std::size_t l = 0; l < view_.labels; ++l) {
      const bool tick = next < ticked.size() && ticked[next] == l;
      next += tick;
      visit(
          Vote{person, l, tick, model_.sensitivity_(person, l), model_.false_ticks_(person, l), 0});
    }
  }

  const CrowdModel& model_;
  CrowdView view_;
  std::vector<float> odds_;
};

// How much a vote, given those of the others, tells about the log-odds of its person's rates
// (Fisher's information).
struct VoteInformation {
  double about_sensitivity, about_false_ticks;
};
inline VoteInformation information_of(const RowVotes::Vote& vote) {
  const double tick = vote.chance_of_tick(), certainty = 1 / (tick * (1 - tick));
  const double by_s = vote.others * vote.sensitivity * (1 - vote.sensitivity);
  const double by_f = (1 - vote.others) * vote.false_ticks * (1 - vote.false_ticks);
  return {by_s * by_s * certainty, by_f * by_f * certainty};
}

}  // namespace sieve
