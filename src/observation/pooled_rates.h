#pragma once

#include <cstddef>
#include <vector>

#include "labelsieve/matrix.h"

namespace sieve {

// The log-odds of a rate for every person and label: common + person + label + both. The latter
// three are drawn towards 0, each kind as strongly as its own variance suggests (empirical Bayes).
class PooledRates {
 public:
  PooledRates(std::size_t people, std::size_t labels, double common);

  // A few steps towards the most probable rates, given how often each person ticked each label
  // (`ticks`, expected) out of how many chances.
  void fit(const MatrixD& ticks, const MatrixD& chances);
  // Within +-kFarthest.
  double log_odds(std::size_t person, std::size_t label) const;
  // The standard deviation of each log-odds, given how much was learnt about it (the information
  // of the votes).
  MatrixD spread(const MatrixD& information) const;

 private:
  // Calls visit(person, label, slope, information) for all cells.
  template <class Visit>
  void for_each_cell(const MatrixD& ticks, const MatrixD& chances, Visit&& visit) const;
  void move_effects(std::vector<double>& effects, double& variance,
                    const std::vector<double>& slope, const std::vector<double>& information);
  void move_labels(const MatrixD& ticks, const MatrixD& chances);
  void move_people(const MatrixD& ticks, const MatrixD& chances);
  void move_cells(const MatrixD& ticks, const MatrixD& chances);

  double common_;
  std::vector<double> person_, label_;
  MatrixD both_;
  double person_variance_ = 0.5, label_variance_ = 0.5, both_variance_ = 0.25;
};

}  // namespace sieve
