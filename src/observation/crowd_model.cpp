#include <algorithm>
#include <cmath>

#include "labelsieve/observation.h"
#include "observation/crowd_members.h"
#include "observation/gold_weights.h"
#include "observation/log_odds.h"

namespace sieve {
namespace {

Estimate estimate(double rate, double spread) {
  const double middle = log_odds_of(rate);
  return {kept_inside(rate), probability_of(middle - kNineTenths * spread),
          probability_of(middle + kNineTenths * spread)};
}

}  // namespace

std::size_t CrowdModel::people() const {
  return members_->sensitivity_spread.rows();
}

std::size_t CrowdModel::labels() const {
  return members_->labels;
}

Estimate CrowdModel::sensitivity(std::size_t person, std::size_t label) const {
  return estimate(members_->coins->sensitivity()(person, label),
                  members_->sensitivity_spread(person, label));
}

Estimate CrowdModel::false_ticks(std::size_t person, std::size_t label) const {
  return estimate(members_->coins->false_ticks()(person, label),
                  members_->false_ticks_spread(person, label));
}

const LabelWeights& CrowdModel::weights(std::size_t label) const {
  return members_->of_label[label];
}

std::span<const AlikePair> CrowdModel::alike() const {
  return members_->alike;
}

void CrowdModel::posterior(const CrowdView& view, std::size_t row, std::span<float> into) const {
  CrowdRow at(*this, view);
  posterior(at, row, into);
}

void CrowdModel::posterior(CrowdRow& at, std::size_t row, std::span<float> into) const {
  at.go_to(row);
  for (std::size_t l = 0; l < labels(); ++l)
    into[l] = static_cast<float>(corrected(gold_[l], at.final_odds(l)));
}

CrowdModel with_gold(CrowdModel model, const CrowdView& view, std::span<const GoldCell> gold) {
  check_gold(gold, view.rows(), view.labels);
  CrowdRow at(model, view);
  model.gold_ = learn_gold(gold, view.labels, [&](const GoldCell& cell) {
    at.go_to(cell.row);
    return at.final_odds(cell.label);
  });
  return model;
}

}  // namespace sieve
