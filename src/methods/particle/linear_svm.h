#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "data/prepare/scaling.h"

namespace sieve {

// sign(weights . x + bias) for a scaled row x.
struct LinearSvm {
  std::vector<double> weights;
  double bias = 0;
};

// The minimum of ||w||^2 / 2 + c sum max(0, 1 - y (w . x + b))^2 over the rows of two sides, y = +1
// and -1; b is free of charge. Newton's method, each step by conjugate gradients: there is nothing
// random in it, and the position of the features does not matter.
class SvmTrainer {
 public:
  // The rows must outlive the trainer. May be shared between threads.
  SvmTrainer(const ScaledRows& rows, double c);
  // Neither side may be empty.
  LinearSvm train(std::span<const std::size_t> positive,
                  std::span<const std::size_t> negative) const;

 private:
  const ScaledRows& rows_;
  double c_;
  std::vector<double> centre_;  // the mean row; steps are shorter from there
};

}  // namespace sieve
