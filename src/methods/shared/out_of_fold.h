#pragma once

#include <optional>

#include "labelsieve/learner.h"

// Quicker ways to out-of-fold scores.
namespace sieve {

// A fresh model whose parts have each left out some rows. A file does not keep what they said.
class OutOfFoldModel {
 public:
  virtual ~OutOfFoldModel() = default;
  // Of all rows of the fit, by the parts that did not learn from them (rows x labels); null where
  // there were too few rows, or too few parts.
  virtual const Matrix* held_out_scores() const = 0;
  // How sure these parts are of the rows' candidates.
  virtual Matrix held_out_probabilities(const LabelMatrix& candidates) const = 0;
};

// The held_out_scores() of a model; null if it is no such model.
const Matrix* held_out_scores_of(const Model& model);

// Error(Usage) for fewer than 2 folds or more than rows.
void check_folds(std::size_t folds, std::size_t rows);

// Seed, threads and progress alone.
FitOptions out_of_fold_fit(const FitOptions& fit);

// Fits the learner once; nothing if its model has no held_out_scores().
std::optional<OutOfFold> out_of_fold_in_one_fit(const Learner& learner, const TrainingData& data,
                                                const FitOptions& fit);

}  // namespace sieve
