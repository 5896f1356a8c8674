#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/data_io.h"
#include "labelsieve/files.h"
#include "labelsieve/labels.h"
#include "labelsieve/learner.h"
#include "labelsieve/threads.h"

// Predictions for new rows.
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

// The features of the data as the model wants them. Throws what match_features() does.
Features features_for(const Model& model, const Dataset& data);

// The labels that are on by the thresholds of a guarantee.
LabelMatrix decide_by(const Guarantee& guarantee, const Matrix& scores);

// Scores of rows, and the labels that the model decides on from them.
struct Prediction {
  Matrix scores;
  LabelMatrix labels;
};
// Throws what features_for() does.
Prediction predict(const Model& model, const Dataset& data, ThreadPool& pool);

// Scores the rows of a data set block by block and hands on the scores of each, in order; rows
// count from 0. Error(Interrupted) where `progress` asks to stop. Throws what features_for() and
// `take` do.
using TakeScores = std::function<void(std::size_t first_row, const Matrix& scores)>;
void predict_blocks(const Model& model, const Dataset& data, ThreadPool& pool, Progress& progress,
                    const TakeScores& take);

// The content and form of written predictions.
struct PredictionLayout {
  enum class Kind { Scores, Decisions, Top } kind = Kind::Scores;
  // LabelStudio: a JSON array of tasks with predictions, to be imported there.
  enum class Form { Csv, Libsvm, JsonLines, LabelStudio } form = Form::Csv;
  std::size_t top = 5;  // Kind::Top: how many labels per row
  // Kind::Decisions: by this one; null: by the model's own rule. Must outlive the writing.
  const Guarantee* guarantee = nullptr;
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

struct StreamOptions {
  PredictionLayout layout{};  // what is answered; the form is JSON lines whatever it says
  // The key of a row's id, "" for none. Not set: "id", unless a column of the model is called so.
  std::optional<std::string> id_column{};
  std::size_t longest_line = std::size_t{16} << 20;  // bytes
  ThreadPool* threads = nullptr;  // null: the calling thread alone, best for rows
};

struct Streamed {
  std::size_t rows = 0, refused = 0;  // `refused` counts among the rows
};

// Answers rows one by one for as long as `in` is open: every line is a row, and its answer is
// written before the next line is read. A line is a list of values in the order of the model's
// columns, or an object with the values by name; null is a missing value (docs/serve.md). A line
// that cannot be scored is answered by an object with "error" and "hint"; blank lines are skipped.
// Memory: that of a few of the longest lines. Throws what the streams throw.
Streamed predict_stream(const Model& model, InputStream& in, OutputStream& out,
                        const StreamOptions& options = {});

// Separates right candidates from noise.

// Out-of-fold scores of every row. Learner::fit_out_of_fold() gets the rows `learn` (ascending,
// none twice); one of its models scores the others. `probabilities` are set only if all rows are
// given.
OutOfFold out_of_fold_scores(const TrainingData& data, std::span<const std::size_t> learn,
                             const Learner& learner, std::size_t folds, const FitOptions& fit);

// Stores the model's probability of the candidates of the given rows, a window at a time.
void judge_rows(const Model& model, const TrainingData& data, std::span<const std::size_t> rows,
                ThreadPool& pool, CandidateScores& into);

// `Confidence` below is CandidateScores, or a Matrix of rows x labels.

struct JudgedCandidate {
  std::size_t row = 0, label = 0;
  float probability = 0;
};
// The candidates, the most suspicious first; among equals by row, then by label. At most `most`.
template <class Probabilities>
std::vector<JudgedCandidate> ranked_candidates(
    const Probabilities& probabilities, const LabelMatrix& candidates,
    std::size_t most = std::numeric_limits<std::size_t>::max());

// The mean of 1 - probability over the candidates of each label; NaN for a label that is never a
// candidate.
template <class Probabilities>
std::vector<double> estimated_noise(const Probabilities& probabilities,
                                    const LabelMatrix& candidates);

struct CleanedLabels {
  LabelMatrix kept;
  std::size_t removed = 0;       // candidates
  std::size_t rescued_rows = 0;  // rows that would have lost every label and keep the best one
  std::size_t emptied_rows = 0;  // rows that have lost every label
};
// Removes candidates whose probability is below the threshold; of a row that would lose all, the
// best one only where rows may be empty.
enum class EmptyRows { Rescued, Allowed };
template <class Probabilities>
CleanedLabels remove_suspects(const Probabilities& probabilities, const LabelMatrix& candidates,
                              double threshold, EmptyRows empty = EmptyRows::Rescued);

}  // namespace sieve
