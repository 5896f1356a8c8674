#pragma once

#include <array>
#include <optional>
#include <vector>

#include "crowd/coins.h"
#include "crowd/log_odds.h"
#include "crowd/strength.h"
#include "labelsieve/crowd.h"

namespace sieve {

// How the ranking of a label's ticked cells becomes a probability: straight lines between knots.
struct RankCurve {
  std::vector<float> rank, log_odds;  // ascending
  float at(float rank_of_cell) const;
};

// All that a CrowdModel has learnt.
struct CrowdMembers {
  std::size_t labels = 0;
  std::vector<bool> compared;  // by annotator: comparable_annotators()
  std::vector<float> weights;  // by annotation; empty: each counts 1
  std::optional<Votes> chain;  // where votes have grades: what both members learn from
  std::vector<float> chain_weights;
  std::vector<AlikePair> alike;           // the most alike first
  std::optional<Matrix> covariate;        // rows x labels, standardised
  std::optional<Matrix> others;           // what other labels say alone; nothing: covariate is that
  bool scores = false;                    // whether the covariate has those of a predictor
  std::vector<double> others_in_ranking;  // by label
  // How far held-out votes prefer two classes to strengths, in [0, 1]: cells are then ranked by
  // classes. And how far right means the class rather than what most annotators say.
  double two_classes = 0, right_is_class = 0;
  std::optional<CoinsModel> coins, coins_with;  // without and with the covariate
  std::optional<StrengthModel> strength, strength_with;
  std::vector<float> panel, panel_with;  // what most of five would say: nodes x labels
  std::vector<std::array<double, 2>> coins_panel, coins_panel_with;  // of labels right and not
  std::vector<LabelWeights> of_label;
  // Of the coins' log-odds and the mean strength over ticked cells: mean and spread.
  std::vector<std::array<double, 2>> odds_scale, strength_scale;
  std::vector<RankCurve> curves;
  MatrixD sensitivity_spread, false_positive_rate_spread;  // standard deviations of log-odds
  std::vector<double> information;  // what the votes tell of a label's frequency: 1 / variance

  // The place of a ticked cell in the ranking of its label.
  double rank(std::size_t label, double odds, double cell_strength, double others_say) const {
    const auto& [odds_mean, odds_spread] = odds_scale[label];
    const auto& [mean, spread] = strength_scale[label];
    return (odds - odds_mean) / odds_spread + (1 - two_classes) * (cell_strength - mean) / spread +
           others_say;
  }
  bool with_covariate() const { return covariate.has_value(); }
  float weight(std::size_t annotation) const {
    return weights.empty() ? 1.0F : weights[annotation];
  }
  MemberInput plain(const Votes& votes) const {
    return {chain ? &*chain : &votes, labels, nullptr, chain ? chain_weights : weights,
            votes.annotators().size()};
  }
  MemberInput covered(const Votes& votes) const {
    MemberInput input = plain(votes);
    input.covariate = covariate ? &*covariate : nullptr;
    return input;
  }
};

// Three of five, each ticking with this probability.
inline double most_of_five(double p) {
  return p * p * p * (10 * (1 - p) * (1 - p) + 5 * p * (1 - p) + p * p);
}

// What the members say of one row after the other. One for each thread.
class CrowdRow {
 public:
  CrowdRow(const CrowdMembers& members, const Votes& votes);
  CrowdRow(const CrowdModel& model, const CrowdView& view)
      : CrowdRow(*model.members_, *view.votes) {}

  void go_to(std::size_t row);
  std::size_t row() const { return row_; }
  // Ticks of the row, label by label.
  std::span<const float> ticks() const { return ticks_; }

  // The coins' log-odds and the mean strength, with as much of the covariate as the label deserves.
  double coins_odds(std::size_t label) const;
  double mean_strength(std::size_t label) const;
  // Log-odds of a consensus by both, and in the place that the ranking gives to a ticked cell.
  double mixed_odds(std::size_t label) const;
  double plain_odds(std::size_t label) const;  // as if there were no covariate
  double ranking(std::size_t label) const;
  // What other labels add to the ranking: the more annotators a row has, the less their votes are
  // witnesses of their own, and the more the rest counts beside them.
  double others(std::size_t label) const;
  // Whether names say anything about the label here.
  bool names(std::size_t label) const;
  double final_odds(std::size_t label) const;
  // Of a consensus by strength alone, after one more tick or pass of an average annotator, and how
  // likely that tick is.
  struct OneMore {
    double now, if_ticked, if_passed, tick;
  };
  OneMore one_more(std::size_t label) const;

  // A vote of the row, held out: how likely a tick by each member, and that the label is right for
  // the coins.
  struct HeldOut {
    double coins = 0.5, coins_with = 0.5, strength = 0.5, strength_with = 0.5;
    double right = 0.5;
  };
  double sensitivity(std::size_t annotator, std::size_t label) const {
    return members_.coins->sensitivity()(annotator, label);
  }
  double false_positive_rate(std::size_t annotator, std::size_t label) const {
    return members_.coins->false_positive_rate()(annotator, label);
  }
  HeldOut held_out(std::size_t annotation, std::size_t label, bool ticked,
                   bool strengths = true) const;

 private:
  double odds_of_consensus(std::size_t label, double in_coins, double in_strength) const;
  double held_out_strength(const StrengthModel& model, const std::vector<float>& logs,
                           std::size_t annotation, std::size_t label, bool ticked) const;
  // Calls visit(annotator, ticked) for all that an annotation answered about a label.
  template <class Visit>
  void for_answers(std::size_t annotation, std::size_t label, bool ticked,
                   const Visit& visit) const;

  const CrowdMembers& members_;
  const Votes& votes_;
  MemberInput plain_, covered_;
  std::size_t row_ = 0, padded_ = 0;
  std::vector<float> nodes_, ticks_, odds_, odds_with_, largest_, sums_;
  std::vector<float> logs_, logs_with_, q_, q_with_, mean_, mean_with_, most_, most_with_;
};

}  // namespace sieve
