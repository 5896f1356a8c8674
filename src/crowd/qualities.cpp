#include <algorithm>
#include <cmath>

#include "crowd/log_odds.h"
#include "crowd/row_votes.h"
#include "crowd/strength.h"
#include "labelsieve/crowd.h"

namespace sieve {
namespace {

// Sums over the rows of a part, added up in the order of the parts.
template <class Sums, class AddRow>
Sums sum_rows(std::size_t rows, const Sums& zero, ThreadPool& pool, AddRow&& add_row) {
  const Parts parts(rows, 0);
  std::vector<Sums> partial(parts.count, zero);
  pool.for_each(parts.count, [&](std::size_t part) {
    auto add = add_row();  // with scratch of its own
    for (std::size_t row = parts.first(part); row < parts.first(part + 1); ++row)
      add(row, partial[part]);
  });
  for (std::size_t part = 1; part < parts.count; ++part)
    for (std::size_t k = 0; k < partial[0].size(); ++k) partial[0][k].add(partial[part][k]);
  return std::move(partial[0]);
}

Estimate around(double value, double log_odds_spread) {
  const double middle = log_odds_of(value);
  return {kept_inside(value), probability_of(middle - kNineTenths * log_odds_spread),
          probability_of(middle + kNineTenths * log_odds_spread)};
}

// A share whose variance is plain, as a guess: what models see lay that far from the truth of
// reference crowds, in log-odds. Decided cells bring it nearer.
Estimate guess(double value, double variance, std::size_t decided) {
  constexpr double kModelsAreOff = 0.8, kCellsThatHalve = 10;
  const double slope = kept_inside(value) * (1 - kept_inside(value));
  const double off = kModelsAreOff / (1 + static_cast<double>(decided) / kCellsThatHalve);
  return around(value, std::sqrt(variance / (slope * slope) + off * off));
}

// Rates over some votes. A rate of a cell counts as often as the cell is expected to be right (or
// not), and its interval comes from what the votes tell about a shift common to all (Laplace).
struct RateSums {
  double right = 0, sensitivity = 0, wrong = 0, false_positive_rate = 0;
  double about_sensitivity = 0, about_false_positive_rate = 0, apart = 0;

  void add(const RowVotes::Vote& vote) {
    const double s = vote.sensitivity, f = vote.false_positive_rate, q = vote.others;
    const VoteInformation told = information_of(q, s, f);
    right += q;
    sensitivity += q * s;
    wrong += 1 - q;
    false_positive_rate += (1 - q) * f;
    about_sensitivity += told.about_sensitivity;
    about_false_positive_rate += told.about_false_positive_rate;
    apart += told.about_sensitivity * (log_odds_of(s) - log_odds_of(f));
  }
  void add(const RateSums& other) {
    right += other.right;
    sensitivity += other.sensitivity;
    wrong += other.wrong;
    false_positive_rate += other.false_positive_rate;
    about_sensitivity += other.about_sensitivity;
    about_false_positive_rate += other.about_false_positive_rate;
    apart += other.apart;
  }
  Estimate of_sensitivity() const { return mean(sensitivity, right, about_sensitivity); }
  Estimate of_false_positive_rate() const {
    return mean(false_positive_rate, wrong, about_false_positive_rate);
  }
  // Label by label, the odds of a tick on a right label are not surely twice those on another, and
  // surely not eight times: a few votes suspect nobody.
  bool guesses() const {
    if (about_sensitivity <= 0) return false;
    const double middle = apart / about_sensitivity;
    const double margin =
        kNineTenths * std::sqrt(1 / (about_sensitivity + 1) + 1 / (about_false_positive_rate + 1));
    return middle - margin <= std::log(2.0) && middle + margin <= std::log(8.0);
  }

 private:
  static Estimate mean(double sum, double weight, double information) {
    if (weight <= 0) return {0.5, kLeast, 1 - kLeast};
    return around(sum / weight, 1 / std::sqrt(information + 1));
  }
};

}  // namespace

std::vector<LabelQuality> label_qualities(const CrowdModel& model, const CrowdView& view,
                                          ThreadPool& pool) {
  struct Sums {
    double ticked = 0, right = 0, right_and_ticked = 0, doubt = 0;
    RateSums rates;
    void add(const Sums& other) {
      ticked += other.ticked;
      right += other.right;
      right_and_ticked += other.right_and_ticked;
      doubt += other.doubt;
      rates.add(other.rates);
    }
  };
  const LabelMatrix ticked = view.votes->any_tick(view.labels);
  const auto add_row = [&] {
    return [&, q = std::vector<float>(view.labels), at = CrowdRow(model, view),
            votes_of = RowVotes(model, view)](std::size_t row, std::vector<Sums>& into) mutable {
      votes_of.for_each(row, [&](const RowVotes::Vote& vote) { into[vote.label].rates.add(vote); });
      model.probabilities(at, row, q);
      for (std::size_t l = 0; l < view.labels; ++l) {
        const auto right = static_cast<double>(q[l]);
        into[l].right += right;
        if (!ticked.get(row, l)) continue;
        into[l].ticked += 1;
        into[l].right_and_ticked += right;
        into[l].doubt += right * (1 - right);
      }
    };
  };
  const auto sums = sum_rows(view.rows(), std::vector<Sums>(view.labels), pool, add_row);
  std::vector<LabelQuality> out(view.labels);
  for (std::size_t l = 0; l < view.labels; ++l) {
    LabelQuality& label = out[l];
    label.rows_ticked = static_cast<std::size_t>(sums[l].ticked);
    label.expected = sums[l].right;
    label.unseen = sums[l].right - sums[l].right_and_ticked;
    label.sensitivity = sums[l].rates.of_sensitivity();
    label.false_positive_rate = sums[l].rates.of_false_positive_rate();
    if (label.rows_ticked == 0) continue;
    const double noise = kept_inside(1 - sums[l].right_and_ticked / sums[l].ticked);
    // An offset that is wrong moves all cells together; luck moves each by itself.
    const double slope = sums[l].doubt / sums[l].ticked;
    const double variance = slope * slope / model.members_->information[l] + slope / sums[l].ticked;
    label.noise = guess(noise, variance, model.gold(l).cells);
  }
  return out;
}

std::vector<AnnotatorQuality> annotator_qualities(const CrowdModel& model, const CrowdView& view,
                                                  ThreadPool& pool) {
  struct Sums {
    double votes = 0, ticks = 0, siding = 0;
    RateSums rates;
    void add(const Sums& other) {
      votes += other.votes;
      ticks += other.ticks;
      siding += other.siding;
      rates.add(other.rates);
    }
  };
  const auto add_row = [&] {
    return [votes_of = RowVotes(model, view)](std::size_t row, std::vector<Sums>& into) mutable {
      votes_of.for_each(row, [&](const RowVotes::Vote& vote) {
        Sums& annotator = into[vote.annotator];
        annotator.votes += 1;
        annotator.ticks += vote.ticked;
        annotator.siding += vote.ticked == (vote.others > 0.5);
        annotator.rates.add(vote);
      });
    };
  };
  const auto sums = sum_rows(view.rows(), std::vector<Sums>(model.annotators()), pool, add_row);
  const std::vector<bool> compared = comparable_annotators(*view.votes);
  // Where nobody can be compared, the caller asked for it nevertheless.
  const bool anybody = std::ranges::find(compared, true) != compared.end();
  std::vector<AnnotatorQuality> out;
  std::vector<std::size_t> annotations(model.annotators());
  for (std::size_t annotation = 0; annotation < view.votes->annotations(); ++annotation)
    ++annotations[view.votes->annotator(annotation)];
  for (const Sums& sum : sums) {
    AnnotatorQuality annotator;
    annotator.compared = !anybody || sum.votes == 0 || compared[out.size()];
    annotator.annotations = annotations[out.size()];
    annotator.ticks = static_cast<std::size_t>(sum.ticks);
    annotator.agreement = sum.votes > 0 ? sum.siding / sum.votes : 0;
    annotator.sensitivity = sum.rates.of_sensitivity();
    annotator.false_positive_rate = sum.rates.of_false_positive_rate();
    annotator.guesses = annotator.compared && sum.rates.guesses();
    out.push_back(annotator);
  }
  return out;
}

HeldOutCheck check_by_held_out_annotators(const CrowdModel& model, const CrowdView& view,
                                          ThreadPool& pool) {
  constexpr std::size_t kMostAnnotations = 60'000, kClasses = 10;
  struct Sums {
    double votes = 0, claimed = 0, ticked = 0, log_likelihood = 0;
    void add(const Sums& other) {
      votes += other.votes;
      claimed += other.claimed;
      ticked += other.ticked;
      log_likelihood += other.log_likelihood;
    }
  };
  const std::size_t stride = view.votes->annotations() / kMostAnnotations + 1;
  const auto add_row = [&] {
    return [stride, votes_of = RowVotes(model, view)](std::size_t row,
                                                      std::vector<Sums>& into) mutable {
      if (row % stride != 0) return;
      votes_of.for_each(
          row,
          [&](const RowVotes::Vote& vote) {
            const double tick = vote.tick;
            Sums& sum = into[std::min(static_cast<std::size_t>(tick * kClasses), kClasses - 1)];
            sum.votes += 1;
            sum.claimed += tick;
            sum.ticked += vote.ticked;
            sum.log_likelihood += std::log(vote.ticked ? tick : 1 - tick);
          },
          true);
    };
  };
  const auto sums = sum_rows(view.rows(), std::vector<Sums>(kClasses), pool, add_row);
  HeldOutCheck out;
  double votes = 0;
  for (const Sums& sum : sums) {
    const double count = std::max(sum.votes, 1.0);
    out.classes.push_back(
        {static_cast<std::size_t>(sum.votes), sum.claimed / count, sum.ticked / count});
    votes += sum.votes;
    out.error += std::abs(sum.claimed - sum.ticked);
    out.log_likelihood += sum.log_likelihood;
  }
  out.error /= std::max(votes, 1.0);
  out.log_likelihood /= std::max(votes, 1.0);
  return out;
}

}  // namespace sieve
