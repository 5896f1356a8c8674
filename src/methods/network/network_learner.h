#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "labelsieve/learner.h"
#include "methods/network/member.h"
#include "methods/shared/fit_support.h"

namespace sieve {

// What the network methods differ in.
struct EnsembleSettings {
  std::string method;
  MemberSettings network;
  std::size_t members = 3;
  std::size_t parts = 1;  // of a batch, see BatchParts; 0: one alone, several on several ranks
  std::vector<std::size_t> depths = {0, 1, 2};  // more than one: held-out likelihood chooses
  std::vector<double> noise_shares = {0.85};    // the same
  // Whether rates of single labels are learnt and tried beside those of the chosen noise share.
  bool learns_rates = false;
  std::vector<double> betas = {0.1};  // the same; see TraineeParts
  // More than one: an ensemble each is trained and held-out likelihood chooses; see TraineeParts.
  std::vector<double> shares = {0};
  // Why nothing but a share of 0 is tried on this data, or ""; asked where there are several.
  std::function<std::string(const TrainingData&)> reason_against_game;
  // Depth and noise share are chosen with the predictor alone, which is cheap, and with a share of
  // 0 nothing else is trained at all.
  bool plain_choices = false;
  RowWeights row_weights = RowWeights::Used;
  std::string stage = "training";              // what its progress is called
  bool centred = true;                         // networks see features minus their mean
  std::map<std::string, std::string> options;  // as given, for the record
};

// Trains an ensemble of members. First one member a choice (of depth, noise share, beta). Then, if
// rates of single labels are learnt, one like the winner but with these rates, which takes its
// place if held-out candidates are surely more likely so. Then, like the winner, the members, each
// on another fold, of which the winner is the first; all that once a share. The ensemble whose
// held-out candidates came out most likely, over all its folds, is kept.
//
// On sparse rows a choice is given up once its held-out candidates became less likely while another
// choice has done better.
class NetworkLearner final : public Learner {
 public:
  explicit NetworkLearner(EnsembleSettings settings) : settings_(std::move(settings)) {}
  std::unique_ptr<Model> fit(const TrainingData& data, const FitOptions& fit) const override;
  OutOfFold fit_out_of_fold(const TrainingData& data, std::size_t folds,
                            const FitOptions& fit) const override;
  // With those settings fixed that a fit chooses by held-out candidates, as chosen on these rows:
  // fits on parts of them need not choose again. Null if there is nothing to choose.
  std::unique_ptr<Learner> settled(const TrainingData& data, const FitOptions& fit) const;

 private:
  // With a member a fold each row was held out by one of them, unless there are too few to spare.
  bool scores_out_of_fold() const {
    return settings_.network.held_out_stopping && settings_.members >= kHeldOutFolds;
  }
  // With a member more for each fold that has none; null if members hold out other parts than
  // folds.
  std::unique_ptr<Learner> with_member_a_fold(std::size_t folds) const;

  EnsembleSettings settings_;
};

}  // namespace sieve
