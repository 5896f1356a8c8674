#pragma once

#include "methods/network/trainee.h"
#include "methods/pml_gan/players.h"

namespace sieve {

// Where the generator's sampled label vectors come from.   paper: z^ ~ P(z^), not said which
enum class Prior {
  Uniform,    // each entry uniform in [0, 1]
  Bernoulli,  // each entry 0 or 1 with probability 1/2
  Resampled,  // Bernoulli(z) for z of random rows of the batch
};

enum class Reduction { Sum, Mean, Variance };  // Variance: relative to that of the features

struct GanSettings {
  GanObjective objective;
  Reduction generation = Reduction::Variance;  // of L_g over features
  bool mean_classification = false;            // L_c as a mean over labels, not a sum
  Prior prior = Prior::Resampled;
  std::size_t prior_rows = 64;          // n
  std::size_t discriminator_steps = 1;  // k
  double discriminator_beta1 = 0.5;     // of Adam
  std::size_t hidden = 256;             // width of D~, D and G's middle layers
  double dropout = 0.5;                 // in D~
  bool template_widths = false;         // the sizes inferred for the paper instead of `hidden`
  double collapse_below = 0;  // labels per row left by D~ that count as collapse; 0: never
};

// All four networks of PML-GAN. Error(Training) at the end of an epoch that collapsed.
std::unique_ptr<Trainee> make_gan_trainee(const TraineeParts& parts, const GanSettings& settings);

}  // namespace sieve
