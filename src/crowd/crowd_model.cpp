#include <algorithm>
#include <cmath>

#include "crowd/crowd_members.h"
#include "crowd/gold_weights.h"
#include "crowd/log_odds.h"
#include "labelsieve/crowd.h"

namespace sieve {
namespace {

Estimate estimate(double rate, double spread) {
  const double middle = log_odds_of(rate);
  return {kept_inside(rate), probability_of(middle - kNineTenths * spread),
          probability_of(middle + kNineTenths * spread)};
}

}  // namespace

std::size_t CrowdModel::annotators() const {
  return members_->sensitivity_spread.rows();
}

std::size_t CrowdModel::labels() const {
  return members_->labels;
}

Estimate CrowdModel::sensitivity(std::size_t annotator, std::size_t label) const {
  return estimate(members_->coins->sensitivity()(annotator, label),
                  members_->sensitivity_spread(annotator, label));
}

Estimate CrowdModel::false_positive_rate(std::size_t annotator, std::size_t label) const {
  return estimate(members_->coins->false_positive_rate()(annotator, label),
                  members_->false_positive_rate_spread(annotator, label));
}

const LabelWeights& CrowdModel::weights(std::size_t label) const {
  return members_->of_label[label];
}

std::span<const AlikePair> CrowdModel::alike() const {
  return members_->alike;
}

void CrowdModel::probabilities(const CrowdView& view, std::size_t row,
                               std::span<float> into) const {
  CrowdRow at(*this, view);
  probabilities(at, row, into);
}

void CrowdModel::probabilities(CrowdRow& at, std::size_t row, std::span<float> into) const {
  at.go_to(row);
  for (std::size_t l = 0; l < labels(); ++l)
    into[l] = static_cast<float>(corrected(gold_, labels(), l, at.final_odds(l)));
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
