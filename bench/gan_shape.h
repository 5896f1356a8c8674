#pragma once

#include "methods/pml_gan/objective.h"

namespace sieve {

constexpr std::size_t kRows = 64, kPrior = 1024;  // m and n of a step

// What the networks of a PML-GAN iteration look like.
struct GanShape {
  std::size_t features, labels, width;

  PerNetwork<MlpSpec> specs() const {
    const LayerSpec plain{width}, norm{width, Activation::LeakyRelu, true};
    const auto three = [&](std::size_t outputs) {
      return MlpSpec{features, {plain, plain, {outputs, Activation::Identity}}, 0.01};
    };
    return {three(labels),
            three(labels),
            {labels, {plain, norm, norm, norm, {features, Activation::Tanh}}, 0.01},
            three(1)};
  }

  // Multiplications and additions of the matrix products that the mathematics asks for, without
  // padding: every network forward, back to its weights, and back to its input where that is used.
  double operations() const {
    const auto d = double(features), l = double(labels), h = double(width), m = double(kRows),
               n = double(kPrior);
    const auto three = [&](double out) { return d * h + h * h + h * out; };
    const double five = l * h + 3 * h * h + h * d, to_input = d * h;
    const double predictors = 2 * m * (3 * three(l) - to_input);
    const double generator = m * 3 * five + n * (3 * five - l * h) + n * five;
    const double discriminator = n * 2 * three(1) + (n + m) * (3 * three(1) - to_input);
    return 2 * (predictors + generator + discriminator);
  }
};

}  // namespace sieve
