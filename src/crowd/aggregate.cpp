#include <algorithm>
#include <cmath>
#include <string>

#include "crowd/log_odds.h"
#include "labelsieve/crowd.h"
#include "labelsieve/threads.h"

namespace sieve {
namespace {

constexpr std::size_t kRounds = 50;

// rows x labels: how many ticked it.
Matrix tick_counts(const Votes& votes, std::size_t labels) {
  Matrix out(votes.rows(), labels);
  for (std::size_t row = 0; row < votes.rows(); ++row)
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation)
      for (const std::uint32_t l : votes.ticked(annotation)) out(row, l) += 1;
  return out;
}

// Each count becomes answer(count, annotators who said yes or no).
template <class Answer>
Matrix by_counts(const Votes& votes, std::size_t labels, Answer&& answer) {
  Matrix out = tick_counts(votes, labels);
  for (std::size_t row = 0; row < votes.rows(); ++row)
    for (std::size_t l = 0; l < labels; ++l) {
      const std::size_t said = votes.votes_on(row, l);
      out(row, l) = said == 0 ? 0 : answer(out(row, l), static_cast<float>(said));
    }
  return out;
}

// Dawid and Skene (1979), one label at a time, with one pseudo-count on either side of each rate.
class DawidSkene {
 public:
  DawidSkene(const Votes& votes, bool one_coin)
      : votes_(votes), one_coin_(one_coin), rates_(votes.annotators().size()) {}

  // Turns the label's vote shares into probabilities.
  void run(std::uint32_t label, Matrix& probabilities) {
    for (std::size_t round = 0; round < kRounds; ++round) {
      maximise(label, probabilities);
      if (expect(label, probabilities) < 1e-6) break;
    }
  }

 private:
  struct Rates {
    double right = 0, ticked_right = 0, wrong = 0, ticked_wrong = 0;  // expected counts
    double if_ticked = 0, if_passed = 0;                              // evidence
  };

  template <class Visit>
  void for_each_vote(std::size_t row, std::uint32_t label, Visit&& visit) {
    for (std::size_t annotation = votes_.first_annotation(row);
         annotation < votes_.first_annotation(row + 1); ++annotation)
      if (votes_.speaks_of(annotation, label))
        visit(rates_[votes_.annotator(annotation)],
              std::ranges::binary_search(votes_.ticked(annotation), label));
  }

  void maximise(std::uint32_t label, const Matrix& probabilities) {
    std::ranges::fill(rates_, Rates());
    double right = 0, rows = 0;
    for (std::size_t row = 0; row < votes_.rows(); ++row) {
      if (votes_.annotations(row) == 0) continue;
      const auto q = static_cast<double>(probabilities(row, label));
      right += q;
      rows += 1;
      for_each_vote(row, label, [&](Rates& annotator, bool tick) {
        annotator.right += q;
        annotator.wrong += 1 - q;
        annotator.ticked_right += tick ? q : 0;
        annotator.ticked_wrong += tick ? 1 - q : 0;
      });
    }
    frequency_ = log_odds_of((right + 1) / (rows + 2));
    for (Rates& annotator : rates_) set_evidence(annotator);
  }

  void set_evidence(Rates& annotator) const {
    double s = (annotator.ticked_right + 1) / (annotator.right + 2);
    double f = (annotator.ticked_wrong + 1) / (annotator.wrong + 2);
    if (one_coin_) {
      s = (annotator.ticked_right + annotator.wrong - annotator.ticked_wrong + 1) /
          (annotator.right + annotator.wrong + 2);
      f = 1 - s;
    }
    annotator.if_ticked = std::log(s / f);
    annotator.if_passed = std::log((1 - s) / (1 - f));
  }

  double expect(std::uint32_t label, Matrix& probabilities) {
    double change = 0;
    for (std::size_t row = 0; row < votes_.rows(); ++row) {
      if (votes_.annotations(row) == 0) continue;
      double odds = frequency_;
      for_each_vote(row, label, [&](const Rates& annotator, bool tick) {
        odds += tick ? annotator.if_ticked : annotator.if_passed;
      });
      const auto q = static_cast<float>(kept_inside(probability_of(odds)));
      change = std::max(change, static_cast<double>(std::abs(q - probabilities(row, label))));
      probabilities(row, label) = q;
    }
    return change;
  }

  const Votes& votes_;
  bool one_coin_;
  double frequency_ = 0;
  std::vector<Rates> rates_;
};

Matrix dawid_skene(const Votes& votes, std::size_t labels, bool one_coin, ThreadPool& pool) {
  Matrix out =
      by_counts(votes, labels, [](float ticks, float annotations) { return ticks / annotations; });
  pool.for_each(labels, [&](std::size_t label) {
    DawidSkene(votes, one_coin).run(static_cast<std::uint32_t>(label), out);
  });
  return out;
}

Matrix held_out(const Votes& votes, std::size_t labels, ThreadPool& pool) {
  const CrowdView view{&votes, labels, nullptr};
  Matrix out = crowd_probabilities(fit_crowd(view, pool), view, pool);
  for (std::size_t row = 0; row < votes.rows(); ++row)
    if (votes.annotations(row) == 0) std::ranges::fill(out.row(row), 0.0F);
  return out;
}

}  // namespace

Matrix aggregate(const Votes& votes, std::size_t labels, Aggregation how, ThreadPool& pool,
                 std::size_t at_least) {
  require_memory(4.0 * static_cast<double>(votes.rows()) * static_cast<double>(labels),
                 "the answers of " + std::to_string(votes.rows()) + " rows for " +
                     std::to_string(labels) + " labels",
                 "keep fewer labels, or combine some of the rows at a time");
  const auto on = [](bool yes) { return yes ? 1.0F : 0.0F; };
  switch (how) {
    case Aggregation::Union:
      return by_counts(votes, labels, [&](float ticks, float) { return on(ticks > 0); });
    case Aggregation::Share:
      return by_counts(votes, labels,
                       [](float ticks, float annotations) { return ticks / annotations; });
    case Aggregation::AtLeast:
      return by_counts(votes, labels, [&](float ticks, float) {
        return on(ticks >= static_cast<float>(at_least));
      });
    case Aggregation::Majority:
      return by_counts(votes, labels,
                       [&](float ticks, float annotations) { return on(2 * ticks > annotations); });
    case Aggregation::OneCoin:
      return dawid_skene(votes, labels, true, pool);
    case Aggregation::TwoCoins:
      return dawid_skene(votes, labels, false, pool);
    case Aggregation::CrowdModel:
      break;
  }
  if (!overlap_of(votes).identifies_annotators())
    return aggregate(votes, labels, Aggregation::Share, pool);
  return held_out(votes, labels, pool);
}

}  // namespace sieve
