#include "methods/comes/comes_trainee.h"

#include <algorithm>
#include <vector>

#include "methods/comes/risks.h"

namespace sieve {
namespace {

std::vector<float> weights_of(const NoiseModel& noise) {
  std::vector<float> weights;
  for (const float rate : noise.rate) weights.push_back(1 / (1 - rate));
  return weights;
}

// What both losses hold for a batch.
class ComesLoss : public PredictorLoss {
 public:
  ComesLoss(const TraineeParts& parts, std::size_t room)
      : weights_(weights_of(parts.noise)),
        room_(room),
        targets_(parts.targets),
        panel_(parts.max_batch, parts.targets.labels()) {}

 protected:
  View<const float> gathered(std::span<const std::size_t> rows) {
    gather_targets(targets_, rows, panel_);
    return panel_.view(rows.size());
  }
  std::vector<float> weights_, room_;

 private:
  Targets targets_;
  Panel<float> panel_;
};

class HammingLoss final : public ComesLoss {
 public:
  explicit HammingLoss(const TraineeParts& parts) : ComesLoss(parts, 2 * parts.targets.labels()) {}
  double batch(View<const float> logits, std::span<const std::size_t> rows,
               View<float> gradient) override {
    return hamming_risk<float>(logits, gathered(rows), weights_, room_, gradient);
  }
};

class RankingLoss final : public ComesLoss {
 public:
  RankingLoss(const TraineeParts& parts, double flood)
      : ComesLoss(parts, parts.targets.labels()), flood_(flood) {}
  double batch(View<const float> logits, std::span<const std::size_t> rows,
               View<float> gradient) override {
    return ranking_risk<float>(logits, gathered(rows), weights_, flood_, room_, gradient);
  }

 private:
  double flood_;
};

double least_ranking_risk(std::span<const float> prior) {
  double sum = 0;
  for (std::size_t j = 0; j < prior.size(); ++j)
    for (std::size_t k = 0; k < j; ++k)
      sum += std::max(0.0, 1 - static_cast<double>(prior[j]) - static_cast<double>(prior[k]));
  return sum / std::max(1.0, static_cast<double>(prior.size() * (prior.size() - 1) / 2));
}

}  // namespace

std::unique_ptr<Trainee> make_hamming_trainee(const TraineeParts& parts) {
  return make_predictor_trainee(parts, std::make_unique<HammingLoss>(parts));
}

std::unique_ptr<Trainee> make_ranking_trainee(const TraineeParts& parts,
                                              std::optional<double> flood) {
  const double level = flood ? *flood : least_ranking_risk(parts.noise.prior);
  return make_predictor_trainee(parts, std::make_unique<RankingLoss>(parts, level));
}

double held_out_ranking_risk(const NoiseModel& noise, View<const float> logits,
                             View<const float> targets) {
  const std::vector<float> weights = weights_of(noise);
  std::vector<float> room(logits.cols);
  Panel<float> gradient(logits.rows, logits.cols);
  return static_cast<double>(logits.rows) *
         ranking_risk<float>(logits, targets, weights, 0, room, gradient.view(logits.rows));
}

}  // namespace sieve
