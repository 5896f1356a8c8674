#pragma once

#include "labelsieve/labels.h"
#include "linalg/design.h"

namespace sieve {

// A binary noise matrix N <= Y, as methods that take candidates out keep it.
class NoiseLabels {
 public:
  explicit NoiseLabels(const LabelMatrix& candidates)
      : candidates_(candidates), noise_(candidates.rows(), candidates.labels()) {}

  // Candidates whose evidence is below the threshold are noise, and no others.
  void mark_below(const MatrixD& evidence, double threshold) {
    for (std::size_t i = 0; i < noise_.rows(); ++i)
      candidates_.for_each(i, [&](std::size_t k) { noise_.set(i, k, evidence(i, k) < threshold); });
  }
  std::size_t removed() const { return noise_.count(); }
  const LabelMatrix& noise() const { return noise_; }
  // Y - N
  MatrixD kept() const {
    MatrixD out = numbers_of(candidates_);
    for (std::size_t i = 0; i < out.rows(); ++i)
      noise_.for_each(i, [&](std::size_t k) { out(i, k) = 0; });
    return out;
  }

 private:
  const LabelMatrix& candidates_;
  LabelMatrix noise_;
};

}  // namespace sieve
