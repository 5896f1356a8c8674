#pragma once

#include "labelsieve/learner.h"

// One function a method: its entry in the registry.
namespace sieve {

MethodInfo pml_gan_method();
MethodInfo mlp_method();
MethodInfo mlp_noise_method();
MethodInfo pml_lc_method();
MethodInfo pml_fp_method();
MethodInfo ml_rbf_method();
MethodInfo particle_vls_method();
MethodInfo particle_map_method();
MethodInfo comes_hl_method();
MethodInfo comes_rl_method();
MethodInfo capml_method();
MethodInfo oracle_method();
MethodInfo pml_ni_method();
MethodInfo schirn_method();
MethodInfo nlr_method();
MethodInfo forest_method();
MethodInfo blend_method();

}  // namespace sieve
