#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "labelsieve/learner.h"

namespace sieve {

// Finds features whose values lie far outside the range that a model was trained on: another unit,
// another order of columns. Only dense features of a model that scales them are looked at.
class FarValues {
 public:
  explicit FarValues(const ModelState& model) : model_(model) {}

  // How many values of each feature are far outside; empty where that is not known.
  std::vector<std::size_t> count(const Features& x) const;
  void add(const std::vector<std::size_t>& counts, std::size_t rows);
  // The features of which more than half of the values are, by name or as "feature 3".
  std::vector<std::string> features() const;

 private:
  const ModelState& model_;
  std::vector<std::size_t> far_;
  std::size_t rows_ = 0;
};

}  // namespace sieve
