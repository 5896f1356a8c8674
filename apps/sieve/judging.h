#pragma once

#include <string>

#include "labelsieve/candidate_scores.h"
#include "labelsieve/learner.h"

namespace sieve {

// A data set and how sure a method is of its candidates.
struct Judged {
  Dataset data;
  CandidateScores confidence;
  std::string judge;  // "pml-gan, 5 folds"
};

// The labels of the data in the order of `names`. Error(Data) names the label that is missing.
void order_labels(Dataset& data, const std::vector<std::string>& names);

// The features of the data as the model wants them.
Features features_for(const Model& model, const Dataset& data);

// By a finished model, though it may have seen the rows.
Judged judge_in_sample(Dataset data, const Model& model, std::string judge, ThreadPool& pool);

}  // namespace sieve
