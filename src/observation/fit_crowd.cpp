#include <algorithm>
#include <cmath>
#include <string>

#include "base/require.h"
#include "labelsieve/error.h"
#include "labelsieve/observation.h"
#include "labelsieve/threads.h"
#include "observation/evidence.h"
#include "observation/held_out.h"
#include "observation/log_odds.h"
#include "observation/pooled_rates.h"
#include "observation/row_votes.h"
#include "observation/scores.h"

namespace sieve {
namespace {

constexpr std::size_t kBetweenWeights = 5;  // rounds between two looks at held-out people
constexpr double kSteady = 1e-4;            // change of a label's frequency that ends the rounds

// Expected counts, people x labels, and sums over rows, label by label.
struct Counts {
  explicit Counts(std::size_t people = 0, std::size_t labels = 0)
      : chances(people, labels),
        ticks(people, labels),
        right(labels),
        prior(labels),
        room(labels) {}
  void add(const Counts& other) {
    for (std::size_t a = 0; a < chances.rows(); ++a)
      for (std::size_t l = 0; l < chances.cols(); ++l) {
        chances(a, l) += other.chances(a, l);
        ticks(a, l) += other.ticks(a, l);
      }
    for (std::size_t l = 0; l < right.size(); ++l) {
      right[l] += other.right[l];
      prior[l] += other.prior[l];
      room[l] += other.room[l];
    }
  }
  MatrixD chances, ticks;           // where the label is right
  std::vector<double> right;        // sum of the posterior
  std::vector<double> prior, room;  // with scores: sums of the prior p and of p (1 - p)
};

void check(const CrowdView& view) {
  require(view.votes != nullptr, "a crowd without votes");
  const Votes& votes = *view.votes;
  for (std::size_t look = 0; look < votes.looks(); ++look)
    for (const std::uint32_t label : votes.ticked(look))
      if (label >= view.labels)
        throw Error(Failure::Usage, "the votes name label " + std::to_string(label + 1) +
                                        ", but there are " + std::to_string(view.labels));
  if (view.scores == nullptr) return;
  require(view.scores->rows() == votes.rows() && view.scores->cols() == view.labels,
          "the scores are for " + std::to_string(view.scores->rows()) + " rows and " +
              std::to_string(view.scores->cols()) + " labels, the votes for " +
              std::to_string(votes.rows()) + " and " + std::to_string(view.labels));
  check_numbers(*view.scores);
}

// For each annotator and label: rates, counts of this round and the last, and what the model keeps.
constexpr double kBytesOfRate = 144;
constexpr double kBytesOfLabel = 500;  // its weights

void require_room(const CrowdView& view) {
  const auto people = static_cast<double>(view.votes->people().size());
  const auto labels = static_cast<double>(view.labels);
  require_memory(labels * (people * kBytesOfRate + kBytesOfLabel),
                 "what " + std::to_string(view.votes->people().size()) +
                     " annotators do with each of " + std::to_string(view.labels) + " labels",
                 "keep fewer labels");
}

}  // namespace

// Rates by expectation and maximisation, weights by held-out people.
class CrowdFit {
 public:
  CrowdFit(const CrowdView& view, ThreadPool& pool)
      : view_(view),
        pool_(pool),
        people_(view.votes->people().size()),
        sensitivity_(people_, view.labels, 0.5),
        false_ticks_(people_, view.labels, -3),
        looks_(people_),
        ticks_(people_, view.labels),
        held_out_(view) {
    for (std::size_t look = 0; look < view.votes->looks(); ++look) {
      const std::size_t person = view.votes->person(look);
      looks_[person] += 1;
      for (const std::uint32_t l : view.votes->ticked(look)) ticks_(person, l) += 1;
    }
    for (std::size_t row = 0; row < view.rows(); ++row) rows_ += view.votes->looks(row) > 0;
    model_.weights_.resize(view.labels);
    model_.gold_.resize(view.labels);
  }

  CrowdModel run(const CrowdOptions& options) {
    Counts counts = expect(true);
    start_weights(counts);
    for (std::size_t round = 0; round < options.rounds; ++round) {
      maximise(counts);
      if (round > 0 && round % kBetweenWeights == 0) learn_weights(false);
      Counts next = expect(false);
      move_offsets(next);
      const double change = largest_change(counts, next);
      counts = std::move(next);
      if (round > 2 * kBetweenWeights && change < kSteady) break;
    }
    maximise(counts);
    learn_weights(options.other_labels);
    measure_spread();
    return std::move(model_);
  }

 private:
  // Fills q with the posterior of a row, or with its vote shares; and p with the prior, if there
  // are scores.
  void judge(std::size_t row, bool by_shares, std::span<float> q, std::span<float> p) const {
    const Votes& votes = *view_.votes;
    if (by_shares) {
      std::ranges::fill(q, 0.0F);
      for (std::size_t look = votes.first_look(row); look < votes.first_look(row + 1); ++look)
        for (const std::uint32_t l : votes.ticked(look)) q[l] += 1;
      for (float& share : q) share /= static_cast<float>(votes.looks(row));
      return;
    }
    sum_evidence(votes, row, model_.if_ticked_, model_.if_passed_, q);
    for (std::size_t l = 0; l < view_.labels; ++l) {
      const LabelWeights& w = model_.weights_[l];
      float prior = static_cast<float>(w.offset);
      if (view_.scores != nullptr) {
        prior += static_cast<float>(w.score) * score_log_odds((*view_.scores)(row, l));
        p[l] = 1 / (1 + std::exp(-prior));
      }
      q[l] = 1 / (1 + std::exp(-(prior + static_cast<float>(w.votes) * q[l])));
    }
  }

  Counts expect(bool by_shares) const {
    const Votes& votes = *view_.votes;
    const Parts parts(view_.rows(), people_ * view_.labels * 2 * sizeof(double));
    std::vector<Counts> partial(parts.count);
    pool_.for_each(parts.count, [&](std::size_t part) {
      Counts counts(people_, view_.labels);
      std::vector<float> q(view_.labels), p(view_.labels);
      for (std::size_t row = parts.first(part); row < parts.first(part + 1); ++row) {
        if (votes.looks(row) == 0) continue;
        judge(row, by_shares, q, p);
        for (std::size_t l = 0; l < view_.labels; ++l) {
          counts.right[l] += q[l];
          counts.prior[l] += p[l];
          counts.room[l] += p[l] * (1 - p[l]);
        }
        for (std::size_t look = votes.first_look(row); look < votes.first_look(row + 1); ++look) {
          double* chances = counts.chances.row(votes.person(look)).data();
          for (std::size_t l = 0; l < view_.labels; ++l) chances[l] += q[l];
          double* ticks = counts.ticks.row(votes.person(look)).data();
          for (const std::uint32_t l : votes.ticked(look)) ticks[l] += q[l];
        }
      }
      partial[part] = std::move(counts);
    });
    for (std::size_t part = 1; part < parts.count; ++part) partial[0].add(partial[part]);
    return std::move(partial[0]);
  }

  void maximise(const Counts& counts) {
    sensitivity_.fit(counts.ticks, counts.chances);
    MatrixD ticks(people_, view_.labels), chances(people_, view_.labels);
    for (std::size_t a = 0; a < people_; ++a)
      for (std::size_t l = 0; l < view_.labels; ++l) {
        ticks(a, l) = std::max(0.0, ticks_(a, l) - counts.ticks(a, l));
        chances(a, l) = std::max(ticks(a, l), looks_[a] - counts.chances(a, l));
      }
    false_ticks_.fit(ticks, chances);
    set_tables();
  }

  void set_tables() {
    model_.sensitivity_ = MatrixD(people_, view_.labels);
    model_.false_ticks_ = MatrixD(people_, view_.labels);
    model_.if_ticked_ = Matrix(people_, view_.labels);
    model_.if_passed_ = Matrix(people_, view_.labels);
    pool_.for_blocks(people_, 64, [&](std::size_t first, std::size_t last) {
      for (std::size_t a = first; a < last; ++a)
        for (std::size_t l = 0; l < view_.labels; ++l) {
          const double s = sensitivity_.log_odds(a, l), f = false_ticks_.log_odds(a, l);
          model_.sensitivity_(a, l) = probability_of(s);
          model_.false_ticks_(a, l) = probability_of(f);
          // log(1 - sigmoid(x)) = -log(1 + e^x)
          const double passed = std::log1p(std::exp(f)) - std::log1p(std::exp(s));
          model_.if_passed_(a, l) = static_cast<float>(passed);
          model_.if_ticked_(a, l) = static_cast<float>(passed + s - f);
        }
    });
  }

  void start_weights(const Counts& counts) {
    for (std::size_t l = 0; l < view_.labels; ++l) {
      LabelWeights& weights = model_.weights_[l];
      weights.votes = 0.7;
      weights.score = view_.scores == nullptr ? 0 : 1;
      weights.offset = view_.scores == nullptr ? frequency(counts, l) : 0;
    }
  }

  double frequency(const Counts& counts, std::size_t l) const {
    return log_odds_of((counts.right[l] + 1) / (static_cast<double>(rows_) + 2));
  }

  // Keeps the prior as frequent as the posterior.
  void move_offsets(const Counts& counts) {
    for (std::size_t l = 0; l < view_.labels; ++l)
      if (view_.scores == nullptr)
        model_.weights_[l].offset = frequency(counts, l);
      else
        model_.weights_[l].offset +=
            std::clamp((counts.right[l] - counts.prior[l]) / (counts.room[l] + 1e-3), -1.0, 1.0);
  }

  double largest_change(const Counts& before, const Counts& after) const {
    double change = 0;
    for (std::size_t l = 0; l < view_.labels; ++l)
      change = std::max(change, std::abs(before.right[l] - after.right[l]));
    return change / std::max<double>(1, static_cast<double>(rows_));
  }

  void learn_weights(bool other_labels) {
    held_out_.learn_weights(
        {model_.if_ticked_, model_.if_passed_, model_.sensitivity_, model_.false_ticks_},
        other_labels, model_.weights_, pool_);
  }

  // By how much each vote, given those of the others, tells about the rates of its person.
  void measure_spread() {
    const Parts parts(view_.rows(), people_ * view_.labels * 2 * sizeof(double));
    std::vector<std::pair<MatrixD, MatrixD>> partial(parts.count);
    pool_.for_each(parts.count, [&](std::size_t part) {
      MatrixD of_sensitivity(people_, view_.labels), of_false_ticks(people_, view_.labels);
      RowVotes votes_of(model_, view_);
      for (std::size_t row = parts.first(part); row < parts.first(part + 1); ++row)
        votes_of.for_each(row, [&](const RowVotes::Vote& vote) {
          const VoteInformation told = information_of(vote);
          of_sensitivity(vote.person, vote.label) += told.about_sensitivity;
          of_false_ticks(vote.person, vote.label) += told.about_false_ticks;
        });
      partial[part] = {std::move(of_sensitivity), std::move(of_false_ticks)};
    });
    auto& [of_sensitivity, of_false_ticks] = partial[0];
    for (std::size_t part = 1; part < parts.count; ++part)
      for (std::size_t a = 0; a < people_; ++a)
        for (std::size_t l = 0; l < view_.labels; ++l) {
          of_sensitivity(a, l) += partial[part].first(a, l);
          of_false_ticks(a, l) += partial[part].second(a, l);
        }
    model_.sensitivity_spread_ = sensitivity_.spread(of_sensitivity);
    model_.false_ticks_spread_ = false_ticks_.spread(of_false_ticks);
  }

  CrowdView view_;
  ThreadPool& pool_;
  std::size_t people_, rows_ = 0;
  PooledRates sensitivity_, false_ticks_;
  std::vector<double> looks_;  // by person
  MatrixD ticks_;              // people x labels
  HeldOutLooks held_out_;
  CrowdModel model_;
};

CrowdModel fit_crowd(const CrowdView& view, ThreadPool& pool, const CrowdOptions& options) {
  check(view);
  require_room(view);
  return CrowdFit(view, pool).run(options);
}

}  // namespace sieve
