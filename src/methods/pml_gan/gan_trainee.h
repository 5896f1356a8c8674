#pragma once

#include "methods/network/trainee.h"
#include "methods/pml_gan/players.h"

namespace sieve {

// What the objective does not say.
struct GanSettings {
  GanObjective objective;
  std::size_t prior_rows = 64;          // n
  std::size_t discriminator_steps = 1;  // k
  double discriminator_beta1 = 0.5;     // of Adam
  std::size_t hidden = 256;             // width of D~, D and G's middle layers, if calibrated
  double dropout = 0.5;                 // in D~
  double collapse_below = 0;  // labels per row left by D~ that count as collapse; 0: never
};

// All four networks of PML-GAN. Error(Training) at the end of an epoch that collapsed.
std::unique_ptr<Trainee> make_gan_trainee(const TraineeParts& parts, const GanSettings& settings);

}  // namespace sieve
