#pragma once

#include "labelsieve/learner.h"
#include "methods/shared/decision.h"

namespace sieve {

// Gaussian kernels around some rows of the training data, less their mean over the training rows,
// and a constant: k(x, a) = exp(-|x - a|^2 / width).
struct KernelMap {
  MatrixD anchors;           // features x anchors, times the scaling factors
  std::vector<double> mean;  // of each kernel
  double width = 1;

  std::size_t outputs() const { return anchors.cols() + 1; }
  // rows x outputs(), for rows whose features are scaled by the same factors.
  MatrixD of(const Features& scaled, ThreadPool& pool) const;
};

// Random rows as anchors; width is twice their mean squared distance from all rows. Sets the
// inputs of the training rows, too.
KernelMap fit_kernel_map(const Features& scaled, std::size_t anchors, std::uint64_t seed,
                         ThreadPool& pool, MatrixD& inputs);

// scores = kernels . weights
class KernelModel final : public Model {
 public:
  // Takes a state as kernel_state made it; Error(Model) if it does not fit together.
  explicit KernelModel(ModelState state);

  Matrix scores(const Features& x, ThreadPool& pool) const override;
  LabelMatrix decide(const Matrix& scores) const override { return decision_.decide(scores); }
  Matrix confidence(const TrainingData& data, ThreadPool& pool) const override;
  const ModelState& state() const override { return state_; }

 private:
  Matrix on_unit_scale(Matrix scores) const override {
    return confidence_.of_all(std::move(scores));
  }

  ModelState state_;
  KernelMap map_;
  MatrixD weights_;
  Decision decision_;
  CandidateConfidence confidence_;
};

// `state` already tells method, options, names, scaler (without offsets: distances know none) and
// notes.
ModelState kernel_state(ModelState state, const KernelMap& map, const MatrixD& weights,
                        const Decision& decision);

}  // namespace sieve
