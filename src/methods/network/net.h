#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "methods/network/state_io.h"
#include "nn/adam.h"
#include "nn/mlp.h"

namespace sieve {

// A network in training: its shape, numbers, gradients and optimiser, each one flat buffer.
struct Net {
  Net(MlpSpec spec, std::uint64_t seed, const AdamOptions& adam);

  // Halves the last weights and sets the last shifts to the logits of `shares`.
  void start_output_at(std::span<const float> shares);
  void adam_step(ThreadPool& pool);
  bool is_finite() const;
  void visit(const std::string& name, StateVisitor& visitor);

  Mlp<float> mlp;
  AdamOptions adam;
  Array<float> parameters, statistics, gradients;
  AdamState<float> optimiser;
};

// The logit of a share, kept within a range a network can leave again.
float logit_of(float share);

}  // namespace sieve
