#include <algorithm>
#include <cmath>

#include "labelsieve/observation.h"
#include "observation/evidence.h"
#include "observation/gold_weights.h"
#include "observation/log_odds.h"
#include "observation/scores.h"

namespace sieve {
namespace {

Estimate estimate(double rate, double spread) {
  const double middle = log_odds_of(rate);
  return {rate, probability_of(middle - kNineTenths * spread),
          probability_of(middle + kNineTenths * spread)};
}

}  // namespace

Estimate CrowdModel::sensitivity(std::size_t person, std::size_t label) const {
  return estimate(sensitivity_(person, label), sensitivity_spread_(person, label));
}

Estimate CrowdModel::false_ticks(std::size_t person, std::size_t label) const {
  return estimate(false_ticks_(person, label), false_ticks_spread_(person, label));
}

void CrowdModel::log_odds(const CrowdView& view, std::size_t row, std::span<float> into,
                          std::size_t without_look) const {
  const Votes& votes = *view.votes;
  std::vector<float> ticks(labels(), 0.0F);
  std::ranges::fill(into, 0.0F);
  double looks = 0;
  for (std::size_t look = votes.first_look(row); look < votes.first_look(row + 1); ++look) {
    if (look == without_look) continue;
    looks += 1;
    add_evidence(votes, look, if_ticked_, if_passed_, into);
    for (const std::uint32_t l : votes.ticked(look)) ticks[l] += 1;
  }
  std::vector<double> shares(labels());
  for (std::size_t l = 0; l < labels(); ++l) {
    const LabelWeights& w = weights_[l];
    shares[l] = (drawn_share(ticks[l], looks, w.tick_rate) - w.share_mean) / w.share_spread;
  }
  for (std::size_t l = 0; l < labels(); ++l) {
    const LabelWeights& w = weights_[l];
    double odds = w.offset + w.votes * static_cast<double>(into[l]);
    if (view.scores != nullptr)
      odds += w.score * static_cast<double>(score_log_odds((*view.scores)(row, l)));
    for (std::size_t j = 0; j < w.labels.size(); ++j) odds += w.others[j] * shares[w.labels[j]];
    into[l] = static_cast<float>(odds);
  }
}

void CrowdModel::posterior(const CrowdView& view, std::size_t row, std::span<float> into) const {
  log_odds(view, row, into);
  for (std::size_t l = 0; l < labels(); ++l)
    into[l] = static_cast<float>(corrected(gold_[l], static_cast<double>(into[l])));
}

}  // namespace sieve
