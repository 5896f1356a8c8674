#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/require.h"
#include "crowd/crowd_members.h"
#include "crowd/fit_steps.h"
#include "crowd/row_votes.h"
#include "crowd/scores.h"
#include "crowd/strength.h"
#include "labelsieve/crowd.h"
#include "labelsieve/error.h"
#include "labelsieve/threads.h"

namespace sieve {
namespace {

// Whether the covariate earns its place is asked of this many annotations at most, whole rows.
constexpr std::size_t kMostHeldOut = 200'000;
// Fewer votes with somebody else's tick beside them say too little about names.
constexpr std::size_t kLeastVotes = 30;
// How much other labels count in the ranking for each annotation of a row after the second; tuned
// on relex and brighter with few and many annotations per row.
constexpr double kOthersPerLook = 0.1, kMostOfOthers = 1.5;
// Both members go by the covariate. Coins take it for a witness beside the votes and go too far, so
// that labels which it tells little of were ranked worse than without it.
constexpr double kCovariateInCoins = 0.4;
// Share of held-out votes that coins explain better than strengths: up to the first, cells are
// ranked by both; from the second on, by classes. By votes alone, real annotators have .16 to .26
// and annotators of two rates .21 to .43; with the scores of a predictor .16 to .28, and .39
// to .66.
constexpr std::array<double, 2> kClassesByVotes = {0.22, 0.37}, kClassesByScores = {0.3, 0.38};
// Other labels predict held-out votes (per root of their number), and not through the class alone,
// in which case the mean over labels of a squared score is 1: annotators mistake labels for each
// other, and a class is no label.
constexpr std::array<double, 2> kOthersPredict = {0.1, 0.2}, kBeyondClass = {2, 3};
// So many ticks beside somebody else's would speak against the covariate of any label: where there
// are few, chance and shared mistakes look like evidence.
constexpr double kDoubtedTicks = 30;
// Grades count where they foretell votes of others by this number of standard deviations.
constexpr double kTelling = 2;
// Counted beforehand for and against the covariate.
constexpr double kForCovariate = 1, kAgainstCovariate = 5;

void check(const CrowdView& view, const CrowdOptions& options) {
  require(view.votes != nullptr, "a crowd without votes");
  const Votes& votes = *view.votes;
  for (std::size_t annotation = 0; annotation < votes.annotations(); ++annotation)
    for (const auto labels : {votes.ticked(annotation), votes.unsure(annotation)})
      for (const std::uint32_t label : labels)
        if (label >= view.labels)
          throw Error(Failure::Usage, "the votes name label " + std::to_string(label + 1) +
                                          ", but there are " + std::to_string(view.labels));
  require(options.groups.empty() || options.groups.size() == votes.annotators().size(),
          "the groups are of " + std::to_string(options.groups.size()) + " annotators, but " +
              std::to_string(votes.annotators().size()) + " annotated");
  if (view.scores == nullptr) return;
  require(view.scores->rows() == votes.rows() && view.scores->cols() == view.labels,
          "the scores are for " + std::to_string(view.scores->rows()) + " rows and " +
              std::to_string(view.scores->cols()) + " labels, the votes for " +
              std::to_string(votes.rows()) + " and " + std::to_string(view.labels));
  check_numbers(*view.scores);
}

// For each annotator and label: rates, tables over the nodes, and counts of a round.
constexpr double kBytesOfRate = 800;
constexpr double kBytesOfLabel = 5000;  // its curves

void require_room(const CrowdView& view) {
  const auto annotators = static_cast<double>(view.votes->annotators().size());
  const auto labels = static_cast<double>(view.labels);
  require_memory(labels * (annotators * kBytesOfRate + kBytesOfLabel),
                 "what " + std::to_string(view.votes->annotators().size()) +
                     " annotators do with each of " + std::to_string(view.labels) + " labels",
                 "keep fewer labels");
}

// The standard deviations of a normal variable that are as improbable as t of Student's (Wallace).
double as_normal(double t, double freedom) {
  return t * (1 - 1 / (4 * freedom)) / std::sqrt(1 + t * t / (2 * freedom));
}

// Whether a covariate x of rows predicts what is left of their votes, R, beyond what the others of
// the row tell.
struct ScoreTest {
  double xR = 0, R = 0, xxRR = 0, xRR = 0, RR = 0, x = 0, room = 0;
  std::array<double, 5> xkRRRR{};  // sums of x^k R^4

  void add_vote(double value, double doubt) {
    x += doubt * value;
    room += doubt;
  }
  void add_row(double value, double left) {
    xR += value * left;
    R += left;
    xxRR += value * value * left * left;
    xRR += value * left * left;
    RR += left * left;
    double term = left * left * left * left;
    for (double& sum : xkRRRR) {
      sum += term;
      term *= value;
    }
  }
  void add(const ScoreTest& other) {
    xR += other.xR;
    R += other.R;
    xxRR += other.xxRR;
    xRR += other.xRR;
    RR += other.RR;
    x += other.x;
    room += other.room;
    for (std::size_t k = 0; k < xkRRRR.size(); ++k) xkRRRR[k] += other.xkRRRR[k];
  }
  // In standard deviations; x is centred among these votes.
  double gain() const {
    const double variance = squares();
    return variance <= 0 ? 0 : (xR - centre() * R) / std::sqrt(variance);
  }
  // The same, but for what a few rows that outweigh all others may come to by chance.
  double evidence() const {
    const double variance = squares(), fourth = fourth_powers();
    if (variance <= 0 || fourth <= 0) return 0;
    return as_normal(gain(), std::max(1.0, variance * variance / fourth - 1));
  }

 private:
  double centre() const { return room > 0 ? x / room : 0; }
  // Sums of powers of (x - centre) R.
  double squares() const {
    const double c = centre();
    return room > 0 ? xxRR - 2 * c * xRR + c * c * RR : 0;
  }
  double fourth_powers() const {
    const double c = centre();
    const auto& s = xkRRRR;
    return s[4] - 4 * c * s[3] + 6 * c * c * s[2] - 4 * c * c * c * s[1] + c * c * c * c * s[0];
  }
};

// 0 up to the first end, 1 from the second on.
double between(double value, const std::array<double, 2>& ends) {
  return std::clamp((value - ends[0]) / (ends[1] - ends[0]), 0.0, 1.0);
}

double earned_by(double gain) {
  return std::clamp(gain - 2, 0.0, 1.0);
}

// What the votes of one label say about its covariates.
struct Earned {
  ScoreTest all, others, given_class;
  std::vector<float> coins, strength;  // likelihood of a vote with the covariate, to that without
  // By coins, to that by strengths; and of both with the covariate.
  std::vector<float> classes, classes_with;
  double ticks = 0;

  // How much of the covariate the label deserves, in [0, 1].
  double earned() const { return earned_by(all.evidence()) * ticks / (ticks + kDoubtedTicks); }

  void add(const Earned& other) {
    all.add(other.all);
    others.add(other.others);
    given_class.add(other.given_class);
    ticks += other.ticks;
    coins.insert(coins.end(), other.coins.begin(), other.coins.end());
    strength.insert(strength.end(), other.strength.begin(), other.strength.end());
    classes.insert(classes.end(), other.classes.begin(), other.classes.end());
    classes_with.insert(classes_with.end(), other.classes_with.begin(), other.classes_with.end());
  }
};

// The share of the member with the covariate in a mixture of both.
double share_of(const std::vector<float>& ratios) {
  double share = 0.2;
  for (std::size_t round = 0; round < 100; ++round) {
    double sum = kForCovariate;
    for (const float ratio : ratios)
      sum += share * double{ratio} / (1 - share + share * double{ratio});
    const double next =
        sum / (static_cast<double>(ratios.size()) + kForCovariate + kAgainstCovariate);
    if (std::abs(next - share) < 1e-6) break;
    share = next;
  }
  return share;
}

// Votes with somebody else's tick of the same label beside them.
std::vector<std::size_t> compared_votes(const Votes& votes, std::size_t labels) {
  std::vector<std::size_t> out(labels);
  std::vector<std::uint32_t> ticked;
  for (std::size_t row = 0; row < votes.rows(); ++row) {
    if (votes.annotations(row) < 2) continue;
    ticked.clear();
    for (std::size_t annotation = votes.first_annotation(row);
         annotation < votes.first_annotation(row + 1); ++annotation)
      ticked.insert(ticked.end(), votes.ticked(annotation).begin(), votes.ticked(annotation).end());
    std::ranges::sort(ticked);
    for (std::size_t k = 0; k < ticked.size();) {
      const std::size_t first = k;
      while (k < ticked.size() && ticked[k] == ticked[first]) ++k;
      const std::size_t said = votes.votes_on(row, ticked[first]);
      out[ticked[first]] += k - first > 1 ? said : said - 1;
    }
  }
  return out;
}

}  // namespace

// Both members without and with the covariate, and how they are put together.
class CrowdFit {
 public:
  CrowdFit(const CrowdView& view, ThreadPool& pool, const CrowdOptions& options)
      : view_(view), votes_(*view.votes), pool_(pool), options_(options) {
    members_.labels = view.labels;
    members_.scores = view.scores != nullptr;
    members_.compared = comparable_annotators(votes_);
    VoteWeights found = weigh_votes(votes_, view.labels, options);
    members_.weights = std::move(found.weights);
    members_.alike = std::move(found.alike);
    members_.of_label.resize(view.labels);
    const std::vector<std::size_t> compared = compared_votes(votes_, view.labels);
    for (std::size_t l = 0; l < view.labels; ++l) {
      members_.of_label[l].votes = compared[l];
      members_.of_label[l].names = compared[l] >= kLeastVotes;
    }
  }

  CrowdModel run() {
    fit_members();
    set_panels();
    members_.others_in_ranking.assign(view_.labels, 0);
    if (members_.with_covariate()) weigh_covariate();
    set_rank_curves(members_, votes_, pool_);
    measure_spread();
    CrowdModel model;
    model.gold_.resize(view_.labels);
    model.members_ = std::make_shared<const CrowdMembers>(std::move(members_));
    return model;
  }

 private:
  // Of labels whose grades foretell what others said.
  void add_grades() {
    CrowdMembers without;
    without.labels = view_.labels;
    without.weights = members_.weights;
    without.of_label = members_.of_label;
    std::swap(without.coins, members_.coins);
    std::swap(without.strength, members_.strength);
    set_chain(std::vector<bool>(view_.labels, true));
    const std::vector<bool> counted = labels_with_telling_grades(without);
    if (std::ranges::find(counted, false) == counted.end()) return;
    if (std::ranges::find(counted, true) != counted.end()) return set_chain(counted);
    members_.chain.reset();
    members_.chain_weights.clear();
    members_.coins = std::move(without.coins);
    members_.strength = std::move(without.strength);
  }

  void set_chain(const std::vector<bool>& counted) {
    members_.chain = chain_of_questions(votes_, counted);
    members_.chain_weights.clear();
    if (!members_.weights.empty())
      for (const std::uint32_t annotation : annotation_of_answer(*members_.chain, votes_))
        members_.chain_weights.push_back(members_.weights[annotation]);
    fit_plain_members();
  }

  // By both members' likelihood of votes that have a tick of somebody else beside them, row by row,
  // in standard deviations.
  std::vector<bool> labels_with_telling_grades(const CrowdMembers& without) {
    struct Gain {
      double sum = 0, squares = 0;
    };
    const std::size_t stride = votes_.annotations() / kMostHeldOut + 1;
    const Parts parts(votes_.rows(), 0);
    std::vector<std::vector<Gain>> partial(parts.count, std::vector<Gain>(view_.labels));
    pool_.for_each(parts.count, [&](std::size_t part) {
      CrowdRow plain(without, votes_), graded(members_, votes_);
      for (std::size_t row = parts.first(part); row < parts.first(part + 1); ++row) {
        if (votes_.annotations(row) < 2 || row % stride != 0) continue;
        plain.go_to(row);
        graded.go_to(row);
        for (std::size_t l = 0; l < view_.labels; ++l) {
          double gain = 0;
          for (std::size_t annotation = votes_.first_annotation(row);
               annotation < votes_.first_annotation(row + 1); ++annotation) {
            const auto label = static_cast<std::uint32_t>(l);
            if (!votes_.speaks_of(annotation, label)) continue;
            const bool tick = std::ranges::binary_search(votes_.ticked(annotation), label);
            if (plain.ticks()[l] - (tick ? 1.0F : 0.0F) < 1) continue;
            const CrowdRow::HeldOut a = graded.held_out(annotation, l, tick);
            const CrowdRow::HeldOut b = plain.held_out(annotation, l, tick);
            gain += tick ? std::log(a.coins * a.strength / (b.coins * b.strength))
                         : std::log((1 - a.coins) * (1 - a.strength) /
                                    ((1 - b.coins) * (1 - b.strength)));
          }
          partial[part][l].sum += gain;
          partial[part][l].squares += gain * gain;
        }
      }
    });
    std::vector<bool> out(view_.labels);
    for (std::size_t l = 0; l < view_.labels; ++l) {
      Gain all;
      for (const std::vector<Gain>& one : partial)
        all.sum += one[l].sum, all.squares += one[l].squares;
      out[l] = all.sum > kTelling * std::sqrt(all.squares);
    }
    return out;
  }

  // A round of coins is far cheaper, and their rates settle later.
  std::size_t coin_rounds() const { return options_.rounds + options_.rounds / 2; }

  void fit_plain_members() {
    const MemberInput plain = members_.plain(votes_);
    members_.coins.emplace(plain, coin_rounds(), pool_);
    members_.strength.emplace(plain);
    members_.strength->fit(plain, options_.rounds, pool_);
  }

  void fit_members() {
    fit_plain_members();
    if (votes_.graded()) add_grades();
    const MemberInput plain = members_.plain(votes_);
    Covariates found =
        covariates_of(*members_.strength, plain, view_.scores, options_.other_labels, pool_);
    members_.covariate = std::move(found.all);
    members_.others = std::move(found.others);
    if (!members_.with_covariate()) return;
    const MemberInput covered = members_.covered(votes_);
    members_.coins_with.emplace(covered, coin_rounds(), pool_);
    members_.strength_with.emplace(covered, &*members_.strength);
    members_.strength_with->fit(covered, options_.rounds, pool_);
  }

  void set_panels() {
    const auto of_nodes = [](const StrengthModel& model) {
      std::vector<float> panel = model.mean_rates_table();
      for (float& one : panel) one = static_cast<float>(most_of_five(double{one}));
      return panel;
    };
    members_.panel = of_nodes(*members_.strength);
    members_.coins_panel = coins_panel(*members_.coins);
    if (!members_.with_covariate()) return;
    members_.panel_with = of_nodes(*members_.strength_with);
    members_.coins_panel_with = coins_panel(*members_.coins_with);
  }

  std::vector<std::array<double, 2>> coins_panel(const CoinsModel& coins) const {
    std::vector<double> annotations(votes_.annotators().size());
    for (std::size_t annotation = 0; annotation < votes_.annotations(); ++annotation)
      annotations[votes_.annotator(annotation)] += double{members_.weight(annotation)};
    std::vector<std::array<double, 2>> out(view_.labels);
    for (std::size_t l = 0; l < view_.labels; ++l) {
      double s = 0, f = 0, all = 0;
      for (std::size_t a = 0; a < annotations.size(); ++a) {
        s += annotations[a] * coins.sensitivity()(a, l);
        f += annotations[a] * coins.false_positive_rate()(a, l);
        all += annotations[a];
      }
      out[l] =
          all > 0 ? std::array{most_of_five(s / all), most_of_five(f / all)} : std::array{0.9, 0.1};
    }
    return out;
  }

  double annotations_per_row() const {
    double rows = 0, annotations = 0;
    for (std::size_t row = 0; row < votes_.rows(); ++row)
      rows += votes_.annotations(row) > 0 ? 1 : 0;
    for (std::size_t annotation = 0; annotation < votes_.annotations(); ++annotation)
      annotations += double{members_.weight(annotation)};
    return annotations / std::max(rows, 1.0);
  }

  // Only votes with a tick beside them: over all votes a covariate passes that merely tells which
  // rows anybody ticks.
  void weigh_covariate() {
    const std::size_t stride = votes_.annotations() / kMostHeldOut + 1;
    const Matrix& others = members_.others ? *members_.others : *members_.covariate;
    const double most =
        std::clamp(kOthersPerLook * (annotations_per_row() - 2), 0.0, kMostOfOthers);
    const Parts parts(votes_.rows(), 0);
    std::vector<std::vector<Earned>> partial(parts.count);
    pool_.for_each(parts.count, [&](std::size_t part) {
      std::vector<Earned> sums(view_.labels);
      std::vector<double> residual(view_.labels), given_class(view_.labels);
      CrowdRow at(members_, votes_);
      for (std::size_t row = parts.first(part); row < parts.first(part + 1); ++row) {
        if (votes_.annotations(row) < 2 || row % stride != 0) continue;
        at.go_to(row);
        std::ranges::fill(residual, 0.0);
        std::ranges::fill(given_class, 0.0);
        for (std::size_t annotation = votes_.first_annotation(row);
             annotation < votes_.first_annotation(row + 1); ++annotation) {
          // Copies would vouch for each other.
          if (members_.weight(annotation) < 1) continue;
          const auto ticked = votes_.ticked(annotation);
          for (std::size_t l = 0; l < view_.labels; ++l) {
            if (!votes_.speaks_of(annotation, static_cast<std::uint32_t>(l))) continue;
            const bool tick = std::ranges::binary_search(ticked, static_cast<std::uint32_t>(l));
            if (at.ticks()[l] - (tick ? 1.0F : 0.0F) < 1) continue;
            const CrowdRow::HeldOut held = at.held_out(annotation, l, tick);
            const double x = double{(*members_.covariate)(row, l)};
            const double room = held.strength * (1 - held.strength);
            sums[l].ticks += tick ? 1 : 0;
            residual[l] += (tick ? 1 : 0) - held.strength;
            given_class[l] += (tick ? 1 : 0) - held.coins_with;
            sums[l].given_class.add_vote(double{others(row, l)},
                                         held.coins_with * (1 - held.coins_with));
            sums[l].all.add_vote(x, room);
            sums[l].others.add_vote(double{others(row, l)}, room);
            const auto ratio = [&](double with, double without) {
              return static_cast<float>(tick ? with / without : (1 - with) / (1 - without));
            };
            sums[l].classes.push_back(ratio(held.coins, held.strength));
            sums[l].classes_with.push_back(ratio(held.coins_with, held.strength_with));
            sums[l].coins.push_back(ratio(held.coins_with, held.coins));
            sums[l].strength.push_back(ratio(held.strength_with, held.strength));
          }
        }
        for (std::size_t l = 0; l < view_.labels; ++l) {
          sums[l].all.add_row(double{(*members_.covariate)(row, l)}, residual[l]);
          sums[l].others.add_row(double{others(row, l)}, residual[l]);
          sums[l].given_class.add_row(double{others(row, l)}, given_class[l]);
        }
      }
      partial[part] = std::move(sums);
    });
    for (std::size_t l = 0; l < view_.labels; ++l) {
      Earned& sums = partial[0][l];
      for (std::size_t part = 1; part < parts.count; ++part) sums.add(partial[part][l]);
      LabelWeights& weights = members_.of_label[l];
      weights.gain = sums.all.evidence();
      weights.coins = kCovariateInCoins * sums.earned() * share_of(sums.coins);
      weights.strength = sums.earned() * share_of(sums.strength);
      if (options_.other_labels)
        members_.others_in_ranking[l] = earned_by(sums.others.evidence()) * most;
    }
    compare_classes(partial[0]);
    for (std::size_t l = 0; l < view_.labels; ++l) trust_classes(l, partial[0][l].earned());
  }

  // Classes or strengths, over all labels.
  void compare_classes(const std::vector<Earned>& labels) {
    double by_votes = 0, by_scores = 0, predicted = 0, beyond = 0, votes = 0;
    for (std::size_t l = 0; l < labels.size(); ++l) {
      const auto count = static_cast<double>(labels[l].classes.size());
      const double alone = share_of(labels[l].classes);
      const double earned = labels[l].earned();
      by_votes += count * alone;
      by_scores += count * ((1 - earned) * alone + earned * share_of(labels[l].classes_with));
      predicted += std::sqrt(count) * std::max(0.0, labels[l].others.gain());
      beyond += count * labels[l].given_class.gain() * labels[l].given_class.gain();
      votes += count;
    }
    if (votes == 0) return;
    members_.two_classes = between(by_votes / votes, kClassesByVotes);
    if (members_.scores)
      members_.two_classes =
          std::max(members_.two_classes, between(by_scores / votes, kClassesByScores));
    const bool other_labels = members_.others.has_value() || !members_.scores;
    const double mistaken = other_labels ? between(predicted / votes, kOthersPredict) *
                                               between(beyond / votes, kBeyondClass)
                                         : 0;
    members_.right_is_class = members_.two_classes * (1 - mistaken);
  }

  // Where classes explain the votes, the covariate is what is known of a class beforehand, and what
  // other labels add to the ranking is in it already.
  void trust_classes(std::size_t label, double earned) {
    const double classes = members_.two_classes;
    LabelWeights& weights = members_.of_label[label];
    weights.coins += classes * (earned - weights.coins);
    members_.others_in_ranking[label] *= 1 - classes;
  }

  // By how much each vote, given those of the others, tells about the rates of its annotator.
  void measure_spread() {
    const std::size_t annotators = votes_.annotators().size(), labels = view_.labels;
    const Parts parts(votes_.rows(), annotators * labels * 2 * sizeof(double));
    struct Information {
      MatrixD of_sensitivity, of_false_positive_rate;
      std::vector<double> of_frequency;
    };
    std::vector<Information> partial(parts.count);
    pool_.for_each(parts.count, [&](std::size_t part) {
      Information told{MatrixD(annotators, labels), MatrixD(annotators, labels),
                       std::vector<double>(labels)};
      CrowdRow at(members_, votes_);
      for (std::size_t row = parts.first(part); row < parts.first(part + 1); ++row) {
        if (votes_.annotations(row) == 0) continue;
        at.go_to(row);
        const auto count = static_cast<double>(votes_.annotations(row));
        for_each_vote(votes_, row, labels,
                      [&](std::size_t annotation, std::size_t a, std::size_t l, bool tick) {
                        const VoteInformation one =
                            information_of(at.held_out(annotation, l, tick, false).right,
                                           members_.coins->sensitivity()(a, l),
                                           members_.coins->false_positive_rate()(a, l));
                        told.of_sensitivity(a, l) += one.about_sensitivity;
                        told.of_false_positive_rate(a, l) += one.about_false_positive_rate;
                        told.of_frequency[l] += one.about_label / count;
                      });
      }
      partial[part] = std::move(told);
    });
    members_.sensitivity_spread = MatrixD(annotators, labels);
    members_.false_positive_rate_spread = MatrixD(annotators, labels);
    members_.information.assign(labels, 1);
    for (std::size_t l = 0; l < labels; ++l) {
      for (const Information& told : partial) members_.information[l] += told.of_frequency[l];
      for (std::size_t a = 0; a < annotators; ++a) {
        double s = 1, f = 1;
        for (const Information& told : partial) {
          s += told.of_sensitivity(a, l);
          f += told.of_false_positive_rate(a, l);
        }
        members_.sensitivity_spread(a, l) = 1 / std::sqrt(s);
        members_.false_positive_rate_spread(a, l) = 1 / std::sqrt(f);
      }
    }
  }

  CrowdView view_;
  const Votes& votes_;
  ThreadPool& pool_;
  const CrowdOptions& options_;
  CrowdMembers members_;
};

CrowdModel fit_crowd(const CrowdView& view, ThreadPool& pool, const CrowdOptions& options) {
  check(view, options);
  require_room(view);
  return CrowdFit(view, pool, options).run();
}

}  // namespace sieve
