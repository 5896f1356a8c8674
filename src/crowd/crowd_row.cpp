#include <algorithm>
#include <array>
#include <cmath>

#include "crowd/crowd_members.h"

namespace sieve {
namespace {

// Of the log-odds of a consensus.
constexpr double kCoinsInMix = 0.25;

double mixed(double plain, double with, double weight) {
  return weight == 0 ? plain : (1 - weight) * plain + weight * with;
}

}  // namespace

float RankCurve::at(float value) const {
  if (rank.empty()) return 0;
  const auto above = std::ranges::upper_bound(rank, value);
  if (above == rank.begin()) return log_odds.front();
  if (above == rank.end()) return log_odds.back();
  const auto k = static_cast<std::size_t>(above - rank.begin());
  const float part = (value - rank[k - 1]) / (rank[k] - rank[k - 1]);
  return log_odds[k - 1] + part * (log_odds[k] - log_odds[k - 1]);
}

CrowdRow::CrowdRow(const CrowdMembers& members, const Votes& votes)
    : members_(members),
      votes_(votes),
      plain_(members.plain(votes)),
      covered_(members.covered(votes)),
      padded_(padded_labels(members.labels)),
      nodes_(nodes_table(members.labels)),
      ticks_(members.labels),
      odds_(members.labels),
      odds_with_(members.labels),
      largest_(padded_),
      sums_(padded_),
      logs_(kNodes * padded_),
      q_(kNodes * padded_),
      mean_(padded_),
      mean_with_(padded_),
      most_(padded_),
      most_with_(padded_) {
  if (members.with_covariate()) {
    logs_with_.resize(kNodes * padded_);
    q_with_.resize(kNodes * padded_);
  }
}

void CrowdRow::go_to(std::size_t row) {
  row_ = row;
  std::ranges::fill(ticks_, 0.0F);
  for (std::size_t annotation = votes_.first_annotation(row);
       annotation < votes_.first_annotation(row + 1); ++annotation)
    for (const std::uint32_t l : votes_.ticked(annotation)) ticks_[l] += 1;
  const auto judge = [&](const CoinsModel& coins, const StrengthModel& strength,
                         const MemberInput& input, const std::vector<float>& panel,
                         std::vector<float>& odds, std::vector<float>& logs, std::vector<float>& q,
                         std::vector<float>& mean, std::vector<float>& most) {
    coins.log_odds(input, row, odds);
    std::ranges::fill(logs, 0.0F);
    strength.add_prior(input, row, logs.data());
    strength.add_votes(input, row, logs.data());
    q = logs;
    normalise_nodes(q.data(), padded_, largest_.data(), sums_.data());
    mean_over_nodes(q.data(), nodes_.data(), padded_, mean.data());
    if (!panel.empty()) mean_over_nodes(q.data(), panel.data(), padded_, most.data());
  };
  judge(*members_.coins, *members_.strength, plain_, members_.panel, odds_, logs_, q_, mean_,
        most_);
  if (members_.strength_with)
    judge(*members_.coins_with, *members_.strength_with, covered_, members_.panel_with, odds_with_,
          logs_with_, q_with_, mean_with_, most_with_);
}

double CrowdRow::coins_odds(std::size_t l) const {
  return mixed(double{odds_[l]}, double{odds_with_[l]}, members_.of_label[l].coins);
}

double CrowdRow::mean_strength(std::size_t l) const {
  return mixed(double{mean_[l]}, double{mean_with_[l]}, members_.of_label[l].strength);
}

double CrowdRow::mixed_odds(std::size_t l) const {
  return odds_of_consensus(l, members_.of_label[l].coins, members_.of_label[l].strength);
}

double CrowdRow::plain_odds(std::size_t l) const {
  return odds_of_consensus(l, 0, 0);
}

// With so much of the covariate in either member.
double CrowdRow::odds_of_consensus(std::size_t l, double in_coins, double in_strength) const {
  const double classes = members_.right_is_class;
  const auto panel = [&](double odds, const std::array<double, 2>& most) {
    const double right = probability_of(odds);
    return right * (most[0] + classes * (1 - most[0])) + (1 - right) * most[1] * (1 - classes);
  };
  double coins = panel(double{odds_[l]}, members_.coins_panel[l]);
  if (in_coins > 0)
    coins = mixed(coins, panel(double{odds_with_[l]}, members_.coins_panel_with[l]), in_coins);
  const double strength = mixed(double{most_[l]}, double{most_with_[l]}, in_strength);
  // With a predictor, coins would propose far too many labels that nobody ticked.
  const double share =
      ticks_[l] == 0 && coins > strength ? kCoinsInMix : kCoinsInMix + (1 - kCoinsInMix) * classes;
  return share * log_odds_of(coins) + (1 - share) * log_odds_of(strength);
}

double CrowdRow::ranking(std::size_t l) const {
  return members_.rank(l, coins_odds(l), mean_strength(l), others(l));
}

double CrowdRow::others(std::size_t l) const {
  const double weight = members_.others_in_ranking[l];
  if (weight == 0) return 0;
  return weight * double{(members_.others ? *members_.others : *members_.covariate)(row_, l)};
}

bool CrowdRow::names(std::size_t l) const {
  // All annotators of a row belong to one group.
  return members_.of_label[l].names &&
         members_.compared[votes_.annotator(votes_.first_annotation(row_))];
}

double CrowdRow::final_odds(std::size_t l) const {
  // Shares say nothing of labels that nobody ticked: one half beforehand would propose them all.
  if (ticks_[l] > 0 && !names(l)) {
    const auto said = static_cast<double>(votes_.votes_on(row_, l));
    return log_odds_of((double{ticks_[l]} + 1) / (said + 2));
  }
  if (ticks_[l] == 0) {
    // Nobody who looked saw it. Other labels alone never proposed one rightly on reference crowds.
    const double plain = plain_odds(l), mixed = mixed_odds(l);
    return std::min(mixed, members_.scores ? (plain + 11 * mixed) / 12 : plain);
  }
  if (members_.curves[l].rank.empty()) return mixed_odds(l);
  return double{members_.curves[l].at(static_cast<float>(ranking(l)))};
}

CrowdRow::OneMore CrowdRow::one_more(std::size_t l) const {
  const bool with = members_.of_label[l].strength > 0.5;
  const std::vector<float>& q = with ? q_with_ : q_;
  const StrengthModel& model = with ? *members_.strength_with : *members_.strength;
  const std::vector<float>& panel = with ? members_.panel_with : members_.panel;
  double tick = 0, now = 0, both = 0;
  for (std::size_t n = 0; n < kNodes; ++n) {
    const std::size_t at = cell_at(n, l);
    const double rate = double{model.mean_rates_table()[at]};
    tick += double{q[at]} * rate;
    now += double{q[at]} * double{panel[at]};
    both += double{q[at]} * rate * double{panel[at]};
  }
  tick = kept_inside(tick);
  return {kept_inside(now), kept_inside(both / tick), kept_inside((now - both) / (1 - tick)), tick};
}

template <class Visit>
void CrowdRow::for_answers(std::size_t annotation, std::size_t l, bool ticked,
                           const Visit& visit) const {
  const std::size_t annotator = votes_.annotator(annotation);
  visit(annotator, ticked);
  if (!members_.chain) return;
  const Votes& chain = *members_.chain;
  const auto label = static_cast<std::uint32_t>(l);
  for (std::size_t k = chain.first_annotation(row_) + votes_.annotations(row_);
       k < chain.first_annotation(row_ + 1); ++k)
    if (chain.annotator(k) % votes_.annotators().size() == annotator && chain.speaks_of(k, label))
      visit(std::size_t{chain.annotator(k)}, std::ranges::binary_search(chain.ticked(k), label));
}

double CrowdRow::held_out_strength(const StrengthModel& model, const std::vector<float>& logs,
                                   std::size_t annotation, std::size_t l, bool ticked) const {
  const std::size_t annotator = votes_.annotator(annotation);
  const double weight = double{members_.weight(annotation)};
  std::array<double, kNodes> left;
  for (std::size_t n = 0; n < kNodes; ++n) left[n] = double{logs[cell_at(n, l)]};
  for_answers(annotation, l, ticked, [&](std::size_t who, bool yes) {
    for (std::size_t n = 0; n < kNodes; ++n) left[n] -= weight * double{model.vote(who, l, n, yes)};
  });
  const double largest = std::ranges::max(left);
  double sum = 0, tick = 0;
  for (std::size_t n = 0; n < kNodes; ++n) {
    const double q = std::exp(left[n] - largest);
    sum += q;
    tick += q * std::exp(double{model.vote(annotator, l, n, true)});
  }
  return kept_inside(tick / sum);
}

CrowdRow::HeldOut CrowdRow::held_out(std::size_t annotation, std::size_t l, bool ticked,
                                     bool strengths) const {
  const std::size_t annotator = votes_.annotator(annotation);
  const double weight = double{members_.weight(annotation)};
  const auto right = [&](const CoinsModel& model, double odds) {
    for_answers(annotation, l, ticked, [&](std::size_t who, bool yes) {
      odds -= weight * double{model.evidence(who, l, yes)};
    });
    return kept_inside(probability_of(odds));
  };
  const auto tick = [&](const CoinsModel& model, double q) {
    return kept_inside(q * model.sensitivity()(annotator, l) +
                       (1 - q) * model.false_positive_rate()(annotator, l));
  };
  HeldOut out;
  out.right = right(*members_.coins, double{odds_[l]});
  out.coins = tick(*members_.coins, out.right);
  if (strengths) out.strength = held_out_strength(*members_.strength, logs_, annotation, l, ticked);
  if (!members_.strength_with) return out;
  const double right_with = right(*members_.coins_with, double{odds_with_[l]});
  out.coins_with = tick(*members_.coins_with, right_with);
  out.right = mixed(out.right, right_with, members_.of_label[l].coins);
  if (strengths)
    out.strength_with =
        held_out_strength(*members_.strength_with, logs_with_, annotation, l, ticked);
  return out;
}

}  // namespace sieve
