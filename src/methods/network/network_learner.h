#pragma once

#include <map>
#include <string>
#include <vector>

#include "labelsieve/learner.h"
#include "methods/network/member.h"

namespace sieve {

// What the network methods differ in.
struct EnsembleSettings {
  std::string method;
  NetworkSettings network;
  std::size_t members = 3;
  std::vector<std::size_t> depths = {0, 1, 2};  // more than one: held-out likelihood chooses
  std::vector<double> noise_shares = {0.85};    // the same
  std::vector<double> betas = {0.1};            // the same; see TraineeParts
  bool plain_choices = false;                   // choose with the predictor alone: it is cheap
  std::string stage = "training";               // what its progress is called
  bool centred = true;                          // networks see features minus their mean
  std::map<std::string, std::string> options;   // as given, for the record
};

// Trains an ensemble of members. First one member a choice (of depth, noise share, beta), then,
// with the choice whose held-out candidates came out most likely, the members, each on another
// fold. The winner of the choice is the first of them, unless choices were made with the predictor
// alone.
class NetworkLearner final : public Learner {
 public:
  explicit NetworkLearner(EnsembleSettings settings) : settings_(std::move(settings)) {}
  std::unique_ptr<Model> fit(const TrainingData& data, const FitOptions& fit) const override;

 private:
  EnsembleSettings settings_;
};

}  // namespace sieve
