#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "labelsieve/learner.h"

namespace sieve {

// The features of a data set, matched to those of a model.
struct FeatureMatch {
  std::vector<std::size_t> columns;  // of the data, one per model feature; empty: as they are
  std::vector<std::string> ignored;  // names of columns the model does not know
  std::size_t absent = 0;            // features of the model beyond the data's, taken as 0
  std::size_t missing = 0;           // values filled in by the model's recipe
  std::size_t unseen = 0;            // categories that its recipe does not know
  std::vector<std::string> far{};    // features with values far outside those it was trained on
};

// By name where both the model and the data have names, else by order. Error(Data) names the first
// few features that the data lacks, or both numbers. Sparse features without names may be fewer
// than the model's: what never occurs in a file cannot be counted there.
FeatureMatch match_features(const ModelState& model, const Features& x,
                            const std::vector<std::string>& names);

// The features as the model expects them.
Features matched_features(const FeatureMatch& match, const ModelState& model, Features x);

}  // namespace sieve
