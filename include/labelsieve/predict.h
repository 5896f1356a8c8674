#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/feature_match.h"
#include "labelsieve/files.h"
#include "labelsieve/learner.h"
#include "labelsieve/progress.h"

// Predictions for new rows.
namespace sieve {

// The features of the data as the model wants them. Throws what match_features() does.
Features features_for(const Model& model, const Dataset& data);

// Scores of rows, and the labels that the model decides on from them.
struct Prediction {
  Matrix scores;
  LabelMatrix labels;
};
// Throws what features_for() does.
Prediction predict(const Model& model, const Dataset& data, ThreadPool& pool);

// The content and form of written predictions.
struct PredictionLayout {
  enum class Kind { Scores, Decisions, Top } kind = Kind::Scores;
  // LabelStudio: a JSON array of tasks with predictions, to be imported there.
  enum class Form { Csv, Libsvm, JsonLines, LabelStudio } form = Form::Csv;
  std::size_t top = 5;  // Kind::Top: how many labels per row
};

struct Predicted {
  std::size_t rows = 0;
  FeatureMatch match;
};

// Scores the rows of a set block by block, on the threads of `options`, and writes them in order,
// with their ids where they have them; rows count from 0. Labels are not looked at and need not be
// there. Takes the memory that read_features() takes, and throws what it throws.
Predicted predict_files(const Model& model, const std::vector<std::string>& paths,
                        ReadOptions options, const PredictionLayout& layout, OutputStream& out,
                        Progress& progress);

// How the data differed from the model's training data, a sentence each.
std::vector<std::string> notes_on(const FeatureMatch& match);

}  // namespace sieve
