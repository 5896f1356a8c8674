#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "methods/network/net.h"
#include "methods/network/noise_model.h"
#include "methods/network/rows.h"

namespace sieve {

// What the other three networks of PML-GAN add to the predictor, and how strongly.
struct GameSettings {
  bool disambiguator = true, generator = true, adversary = true;
  double share = 0.5;                   // part of the predictor's target that comes from D~
  double posterior_weight = 3;          // of L_d
  double generation_weight = 0.5;       // of L_g
  double beta = 0.1;                    // of the adversarial loss
  std::size_t prior_rows = 64;          // n, label vectors sampled an iteration
  std::size_t discriminator_steps = 1;  // k
};

struct GameLosses {
  double posterior = 0, generation = 0, adversarial = 0, discriminator_accuracy = 0;
  double mean_noise = 0;       // paper: mean Delta over candidates
  double mean_confidence = 0;  // paper: mean z over candidates
};

// Disambiguator D~, generator G and discriminator D of one member, trained by the calibrated
// objective beside the predictor F.
class Game {
 public:
  Game(const NetRows& rows, std::size_t labels, const NoiseModel& noise,
       const GameSettings& settings, std::size_t width, double dropout, std::size_t max_batch,
       std::uint64_t seed, const AdamOptions& adam);

  // One iteration on a batch: a step of D~ and G, then the steps of D. `batch` are row numbers,
  // `input` the same rows as the networks see them, y their candidates (rows x labels), `predicted`
  // the predictor's logits. Afterwards noise() holds D~'s estimate that each candidate is noise, as
  // it was before the step.
  void step(ThreadPool& pool, std::uint64_t iteration, std::span<const std::size_t> batch,
            const Input<float>& input, View<const float> y, View<const float> predicted);

  View<const float> noise(std::size_t rows) const { return noise_.view(rows); }
  const GameLosses& losses() const { return losses_; }
  bool is_finite() const;
  void visit(const std::string& name, StateVisitor& visitor);

 private:
  void disambiguate(ThreadPool& pool, const Input<float>& input, View<const float> y,
                    View<const float> predicted);
  void generate(ThreadPool& pool, std::span<const std::size_t> batch, View<const float> y);
  void fool(ThreadPool& pool);
  void discriminate(ThreadPool& pool, const Input<float>& input);
  void sample_prior(std::size_t draw);
  Input<float> fakes(ThreadPool& pool);

  const NetRows& rows_;
  const NoiseModel& model_;
  GameSettings settings_;
  std::uint64_t seed_, iteration_ = 0;
  double variance_ = 1;             // of a scaled row, summed over features
  std::vector<float> scaled_mean_;  // what D sees is x - mean
  Net disambiguator_, generator_, discriminator_;
  MlpContext<float> noise_pass_, real_pass_, fake_pass_, judge_pass_;
  Panel<float> noise_, confidence_, z_gradient_, target_, prior_;
  std::size_t batch_rows_ = 0;
  GameLosses losses_;
};

}  // namespace sieve
